import * as z from 'zod';

/**
 * Labels or annotations in the operator's own domain. Others are not kept: nobody here reads them, and they may be as large as an object can be
 * (`kubectl.kubernetes.io/last-applied-configuration` is a second copy of it).
 */
export const oursOnly = z
  .record(z.string(), z.string())
  .transform((texts) => Object.fromEntries(Object.entries(texts).filter(([key]) => ourDomain.test(key))));

const ourDomain = /^(?:[^/]*\.)?managed-db\.io\//u;

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
