import * as z from 'zod';

const texts = z.record(z.string(), z.string());

/** The part of ObjectMeta that the operator reads, of a namespaced object that the API server has stored. */
export const metadata = z.object({
  name: z.string(),
  namespace: z.string(),
  uid: z.string(),
  resourceVersion: z.string(),
  generation: z.number().default(1),
  creationTimestamp: z.string().optional(),
  deletionTimestamp: z.string().optional(),
  labels: texts.optional(),
  annotations: texts.optional(),
  finalizers: z.array(z.string()).optional(),
});
export type Metadata = z.infer<typeof metadata>;
