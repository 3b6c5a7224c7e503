import * as z from 'zod';
import { connectionPooler, endpoint, environmentMetadata } from './endpoint.ts';
import { optional } from './field.ts';
import { replicaSetId } from './ids.ts';

/** The five documented states; a reply may carry others, and they pass through. @see cloud-api.md, States and transitions */
export const replicaSetStates = ['creating', 'active', 'resizing', 'deleting', 'error'] as const;

/** @see cloud-api.md, ReadReplicaSet */
export const replicaSet = z.object({
  id: optional(replicaSetId),
  name: optional(z.string()),
  nodes: optional(z.number()),
  cpu_millis: optional(z.number()),
  memory_gbs: optional(z.number()),
  endpoint: optional(endpoint),
  connection_pooler: optional(connectionPooler),
  metadata: optional(environmentMetadata),
  status: optional(z.string()),
});
export type ReplicaSet = z.infer<typeof replicaSet>;
