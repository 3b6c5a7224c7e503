import * as z from 'zod';
import { connectionPooler, endpoint, environmentMetadata } from './endpoint.ts';
import { expected, openEnum, optional } from './field.ts';
import { replicaSetId } from './ids.ts';

/** The known states. A reply may have others, which pass unchanged. */
export const replicaSetStates = ['creating', 'active', 'resizing', 'deleting', 'error'] as const;

export const exampleReplicaSet = {
  id: '5501',
  name: 'orders-reads',
  nodes: 2,
  cpu_millis: 500,
  memory_gbs: 2,
  endpoint: { host: '5501.replicas.db.example', port: 5432 },
  metadata: { environment: 'PROD' },
  status: 'active',
};

export const replicaSet = z
  .object({
    id: expected(replicaSetId).describe('Unique in its service, and never used again.'),
    name: expected(z.string()).describe('As it was asked for. Not unique.'),
    nodes: expected(z.number()).describe('Number of nodes.'),
    cpu_millis: expected(z.number()).describe('CPU of each node, millicores.'),
    memory_gbs: expected(z.number()).describe('Memory of each node, gigabytes.'),
    endpoint: optional(endpoint).describe('Where its nodes are reached; there when it is `active` at the latest.'),
    connection_pooler: optional(connectionPooler),
    metadata: optional(environmentMetadata),
    status: expected(openEnum(replicaSetStates)).describe(
      'New: `creating`, then `active`. Resized: `resizing`, then `active`. Deleted: `deleting`, then gone from the list. `error`: a person has to look. The operator shows any other word as it is, and waits for it to pass.',
    ),
  })
  .meta({
    description: 'Read replicas of a service, behind an address of their own.',
    examples: [exampleReplicaSet],
  });
export type ReplicaSet = z.infer<typeof replicaSet>;
