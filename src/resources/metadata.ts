import { createHash } from 'node:crypto';
import * as z from 'zod';
import { annotations, connectionLabel, credentialsLabel } from './annotations.ts';

/** In characters. The longest answer of a person lists some hundred ids. */
const longestText = 4_096;

/**
 * Those of labels or annotations that the operator reads. Others are not kept: they may be as large as an object can be
 * (`kubectl.kubernetes.io/last-applied-configuration` is a second copy of it). Of a text of a person that is too long to say anything its digest is kept,
 * which still differs when the text does.
 */
export const oursOnly = z.record(z.string(), z.string()).transform((texts) =>
  Object.fromEntries(
    Object.entries(texts)
      .filter(([name]) => ours.has(name))
      .map(([name, text]) => [name, name === annotations.record || text.length <= longestText ? text : digest(text)]),
  ),
);

const ours: ReadonlySet<string> = new Set([...Object.values(annotations), connectionLabel, credentialsLabel]);

function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('hex')}`;
}

/** An empty annotation counts as absent. */
const sayingOnly = oursOnly.transform((texts) => Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')));

/** The part of ObjectMeta that the operator reads, for a namespaced object in the API server. */
export const metadata = z.object({
  name: z.string(),
  namespace: z.string(),
  uid: z.string(),
  resourceVersion: z.string(),
  generation: z.number().default(1),
  creationTimestamp: z.string().optional(),
  deletionTimestamp: z.string().optional(),
  labels: oursOnly.optional(),
  annotations: sayingOnly.optional(),
  finalizers: z.array(z.string()).optional(),
});
export type Metadata = z.infer<typeof metadata>;
