import { accepted, done, list, noIdempotency, polled, type Operations } from './operation.ts';

const service = '/projects/{project_id}/services/{service_id}';
const replicaSet = `${service}/replicaSets/{replica_set_id}`;
const activeOnly = 'The replica set is not `active`.';

export const replicaSets = {
  listReplicaSets: {
    method: 'GET',
    path: `${service}/replicaSets`,
    summary: 'All read replica sets of a service',
    description: `${polled} Not asked where services show \`read_replica_sets\`.`,
    success: list('ReplicaSet'),
  },
  createReplicaSet: {
    method: 'POST',
    path: `${service}/replicaSets`,
    creates: true,
    summary: 'Creates a read replica set',
    description: noIdempotency,
    request: 'CreateReplicaSet',
    success: { ...accepted('It is being made.', 'ReplicaSet'), example: { status: 'creating' } },
    conflict: 'The service is not `READY`.',
  },
  deleteReplicaSet: {
    method: 'DELETE',
    path: replicaSet,
    summary: 'Deletes a read replica set',
    description: 'In every state but `deleting`.',
    success: { status: 202, description: 'It is being deleted: `deleting`, then gone from the list.' },
    conflict: 'It is being deleted already.',
  },
  resizeReplicaSet: {
    method: 'POST',
    path: `${replicaSet}/resize`,
    summary: 'Moves a read replica set to another size',
    request: 'Resize',
    success: accepted('It is `resizing`, then `active`. The body is not needed.', 'Message'),
    conflict: activeOnly,
  },
  enableReplicaSetPooler: {
    method: 'POST',
    path: `${replicaSet}/enablePooler`,
    summary: 'Switches the connection pooler of a read replica set on',
    success: done('It is on: the set shows `connection_pooler`. The body is not needed.'),
    conflict: activeOnly,
  },
  disableReplicaSetPooler: {
    method: 'POST',
    path: `${replicaSet}/disablePooler`,
    summary: 'Switches the connection pooler of a read replica set off',
    success: done('It is off: the set shows no `connection_pooler`. The body is not needed.'),
    conflict: activeOnly,
  },
  setReplicaSetEnvironment: {
    method: 'POST',
    path: `${replicaSet}/setEnvironment`,
    summary: 'Sets the environment tag of a read replica set',
    request: 'SetEnvironment',
    success: done('It is set. The body is not needed.'),
    conflict: activeOnly,
  },
} as const satisfies Operations;
