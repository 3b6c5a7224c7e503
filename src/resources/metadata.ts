import { createHash } from 'node:crypto';
import * as z from 'zod';
import { annotations, cloudResourceFinalizer, connectionLabel, credentialsFinalizer, credentialsLabel } from './annotations.ts';
import { isShardingLabel } from './shard-labels.ts';

/** In characters. The longest answer of a person lists some hundred ids. */
const longestText = 4_096;
/** Finalizers of other controllers, on a single object. */
const mostFinalizers = 16;
/** Two for each of some controller rings. */
const mostShardingLabels = 8;

/**
 * Keeps the labels or annotations that the operator reads. Other texts may be as large as an object
 * (`kubectl.kubernetes.io/last-applied-configuration` is a second copy of it). A digest replaces a text that is too
 * long to be valid; it still differs when the text does.
 */
export const oursOnly = z.record(z.string(), z.string()).transform((texts) =>
  Object.fromEntries(
    Object.entries(texts)
      .filter(([name]) => ours.has(name))
      .map(([name, text]) => [name, text.length <= longestText ? text : digest(text)]),
  ),
);

/** The operator's labels, and those that name the process of the object. */
const labels = z.record(z.string(), z.string()).transform((texts) => {
  const sharding = Object.entries(texts).filter(([name]) => isShardingLabel(name));
  return { ...oursOnly.parse(texts), ...Object.fromEntries(sharding.slice(0, mostShardingLabels)) };
});

const ours: ReadonlySet<string> = new Set([...Object.values(annotations), connectionLabel, credentialsLabel]);

function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('hex')}`;
}

const ourFinalizers: ReadonlySet<string> = new Set([cloudResourceFinalizer, credentialsFinalizer]);

/** Nearly every object has a single finalizer of ours: thousands share the list. */
const oneOfOurs = new Map([...ourFinalizers].map((finalizer) => [finalizer, [finalizer]]));

/** The operator's finalizers, and a few of other controllers. */
export const fewFinalizers = z.array(z.string()).transform((all): readonly string[] => {
  const shared = all.length === 1 && oneOfOurs.get(all[0] ?? '');
  if (shared) return shared;
  const others = all.filter((finalizer) => !ourFinalizers.has(finalizer)).slice(0, mostFinalizers);
  return all.filter((finalizer) => ourFinalizers.has(finalizer) || others.includes(finalizer));
});

/** Whether an object may have finalizers that were not kept. A patch replaces the list, so it needs them all. */
export function mayHaveMore({
  metadata: { finalizers = [] },
}: {
  readonly metadata: { readonly finalizers?: readonly string[] | undefined };
}): boolean {
  return finalizers.filter((finalizer) => !ourFinalizers.has(finalizer)).length >= mostFinalizers;
}

export const everyObjects = { name: z.string(), namespace: z.string(), uid: z.string(), resourceVersion: z.string() };

const whole = z.object({ metadata: z.object({ ...everyObjects, finalizers: z.array(z.string()).optional() }) });

/** The same type, read with all finalizers and nothing else. */
export function withAllFinalizers(type: Place) {
  const { group, version, plural, kind } = type;
  return { group, version, plural, kind, metadataOnly: true, parse: (value: unknown) => whole.parse(value) } as const;
}

interface Place {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
}

/** An empty annotation counts as absent. */
const sayingOnly = oursOnly.transform((texts) => Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')));

/** The part of ObjectMeta that the operator reads, for a namespaced object in the API server. */
export const metadata = z.object({
  ...everyObjects,
  generation: z.number().default(1),
  creationTimestamp: z.string().optional(),
  deletionTimestamp: z.string().optional(),
  labels: labels.optional(),
  annotations: sayingOnly.optional(),
  finalizers: fewFinalizers.optional(),
});
export type Metadata = z.infer<typeof metadata>;
