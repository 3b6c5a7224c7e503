import * as z from 'zod';
import { connectionPooler, endpoint, environmentMetadata } from './endpoint.ts';
import { expected, newName, openEnum, optional, type PartlyRead } from './field.ts';
import { accepted, done, list, noIdempotency, polled, type ResourceKind } from './operation.ts';

/** The schema of ReplicaSetId. */
export const replicaSetId = z.string().min(1).brand<'ReplicaSetId'>();
/** The id of a read replica set. It is opaque, unique in its service, and never reused. */
export type ReplicaSetId = z.infer<typeof replicaSetId>;

/** The known states. Other states pass unchanged. */
export const replicaSetStates = ['creating', 'active', 'resizing', 'deleting', 'error'] as const;

/** A replica set for the examples of the document: that of a replica set, and that of a service. */
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

/** The schema of a read replica set in a reply. */
export const replicaSet = z
  .object({
    id: replicaSetId.describe('Unique in its service, and never reused.'),
    name: expected(z.string()).describe('As requested. Not unique.'),
    nodes: expected(z.number()).describe('Number of nodes.'),
    cpu_millis: expected(z.number()).describe('CPU of each node, millicores.'),
    memory_gbs: expected(z.number()).describe('Memory of each node, gigabytes.'),
    endpoint: optional(endpoint).describe(
      'The address of its nodes; present at the latest when it is `active`.',
    ),
    connection_pooler: optional(connectionPooler),
    metadata: optional(environmentMetadata),
    status: expected(openEnum(replicaSetStates)).describe(
      'New: `creating`, then `active`. Resized: `resizing`, then `active`. Deleted: `deleting`, then gone from the list. `error`: a person must look. The operator shows any other state, and waits for its end.',
    ),
  })
  .meta({
    description: 'Read replicas of a service, with an own address.',
    examples: [exampleReplicaSet],
  });
/** The read replicas of a service with an own address, as a reply shows them. */
export type ReplicaSet = z.infer<typeof replicaSet> & PartlyRead;

const path = '/projects/{project_id}/services/{service_id}/replicaSets';
const one = `${path}/{replica_set_id}`;
const activeOnly = 'The replica set is not `active`, or its service is stopped.';

/** The chapter about read replica sets in the document of the API. */
export const replicaSets = {
  tag: { name: 'Read replica sets', description: 'Replicas of a service to read from.' },
  pathIds: { replica_set_id: replicaSetId.describe('Id of a read replica set of the service.') },
  resourceIds: { ReplicaSet: { parameter: 'replica_set_id', field: 'id' } },
  replies: { ReplicaSet: replicaSet },
  requests: {
    CreateReplicaSet: z
      .object({
        name: newName,
        nodes: z.int().min(1).describe('Number of nodes.'),
        cpu_millis: z.int().min(1).describe('CPU of each node, millicores: a number here.'),
        memory_gbs: z.int().min(1).describe('Memory of each node, gigabytes: a number here.'),
      })
      .meta({ examples: [{ name: 'orders-reads', nodes: 2, cpu_millis: 500, memory_gbs: 2 }] }),
  },
  operations: {
    listReplicaSets: {
      effect: 'read',
      path,
      summary: 'All read replica sets of a service',
      description: `${polled} Not requested if services show \`read_replica_sets\`.`,
      success: list('ReplicaSet'),
    },
    createReplicaSet: {
      effect: 'create',
      path,
      summary: 'Creates a read replica set',
      description: noIdempotency,
      request: 'CreateReplicaSet',
      success: {
        ...accepted('The cloud is creating it.', 'ReplicaSet'),
        example: { status: 'creating' },
      },
      conflict: 'The service is not `READY`.',
    },
    deleteReplicaSet: {
      effect: 'delete',
      path: one,
      summary: 'Deletes a read replica set',
      description: 'In every state but `deleting`.',
      success: {
        status: 202,
        description: 'It is being deleted: `deleting`, then gone from the list.',
      },
      conflict: 'It is being deleted already.',
    },
    resizeReplicaSet: {
      effect: 'change',
      path: `${one}/resize`,
      summary: 'Moves a read replica set to another size',
      request: 'Resize',
      success: accepted('It is `resizing`, then `active`. The body is not needed.', 'Message'),
      conflict: activeOnly,
    },
    enableReplicaSetPooler: {
      effect: 'change',
      path: `${one}/enablePooler`,
      summary: 'Switches the connection pooler of a read replica set on',
      success: done('It is on: the set shows `connection_pooler`. The body is not needed.'),
      conflict: activeOnly,
    },
    disableReplicaSetPooler: {
      effect: 'change',
      path: `${one}/disablePooler`,
      summary: 'Switches the connection pooler of a read replica set off',
      success: done('It is off: the set shows no `connection_pooler`. The body is not needed.'),
      conflict: activeOnly,
    },
    setReplicaSetEnvironment: {
      effect: 'change',
      path: `${one}/setEnvironment`,
      summary: 'Sets the environment tag of a read replica set',
      request: 'SetEnvironment',
      success: done('It is set. The body is not needed.'),
      conflict: activeOnly,
    },
  },
} as const satisfies ResourceKind;
