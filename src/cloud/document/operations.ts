import type { CloudOperation } from '../cloud-api.ts';
import type { JsonObject } from './document-schema.ts';
import type { SchemaName } from './schemas.ts';

/** The description of an operation in the document, beside its method and path. */
export interface OperationText {
  readonly summary: string;
  readonly description?: string;
  readonly request?: SchemaName;
  readonly success: Success;
  /** The reason for a 409; absent if the operation never answers so. */
  readonly conflict?: string;
}

export interface Success {
  /** The status in the document; the client accepts any 2xx. */
  readonly status: 200 | 201 | 202 | 204;
  readonly description: string;
  /** Absent: no body. */
  readonly body?: SchemaName;
  readonly isList?: true;
  /** Differences from the example of the schema. */
  readonly example?: JsonObject;
}

const readyOnly = 'The service is not `READY`.';
const activeOnly = 'The replica set is not `active`.';
const lag = 'All of them, in one array. It may lag a write by seconds, also in what it shows of one.';
const polled = 'Asked about once a minute, and more often while something is being done: one list serves all objects of the operator.';
const confirmed = 'Asked where the list lacks what was there, such as after its deletion. It lags nothing.';
const noIdempotency =
  'The same request twice makes two. The operator never repeats one: after a lost answer it looks for the result in the list, under the name that it asked for.';

const done = (description: string): Success => ({ status: 200, description, body: 'Message' });
const accepted = (description: string, body?: SchemaName): Success => ({ status: 202, description, ...(body && { body }) });
const read = (body: SchemaName): Success => ({ status: 200, description: 'As it is now.', body });
const list = (body: SchemaName): Success => ({ status: 200, description: lag, body, isList: true });

const account = {
  getCredentialsInfo: {
    summary: 'Whose the API key is',
    description:
      'Asked before a key is used for the first time, before something counts as gone, and now and then while a key is rejected: at last every ten minutes.',
    success: { status: 200, description: 'The key is valid.', body: 'CredentialsInfo' },
  },
} satisfies Partial<Record<CloudOperation, OperationText>>;

const vpcs = {
  listVpcs: { summary: 'All VPCs of the project', description: polled, success: list('Vpc') },
  createVpc: {
    summary: 'Creates a VPC',
    description: noIdempotency,
    request: 'CreateVpc',
    success: { status: 201, description: 'It is there.', body: 'Vpc' },
  },
  getVpc: { summary: 'Reads a VPC', description: confirmed, success: read('Vpc') },
  deleteVpc: {
    summary: 'Deletes a VPC, and its peerings with it',
    success: { status: 204, description: 'It is gone.' },
    conflict: 'A service is attached to it, or on its way to it or from it.',
  },
  renameVpc: {
    summary: 'Gives a VPC another name',
    request: 'RenameVpc',
    success: { status: 200, description: 'It has that name. The body is not needed.', body: 'Vpc' },
  },
  listPeerings: { summary: 'All peerings of a VPC', description: polled, success: list('Peering') },
  createPeering: {
    summary: 'Asks for a peering',
    description:
      'The same request twice makes two. The operator never repeats one: after a lost answer it looks for a peering with this peer in the list.',
    request: 'CreatePeering',
    success: { status: 201, description: 'It is `pending` until the peer accepts it.', body: 'Peering', example: { status: 'pending' } },
  },
  getPeering: { summary: 'Reads a peering', description: confirmed, success: read('Peering') },
  deletePeering: { summary: 'Deletes a peering', success: { status: 204, description: 'It is gone.' } },
} satisfies Partial<Record<CloudOperation, OperationText>>;

const newService = { status: 'QUEUED', initial_password: 'Zq7-first-password' };

const services = {
  listServices: { summary: 'All services of the project', description: polled, success: list('Service') },
  createService: {
    summary: 'Creates a service',
    description: noIdempotency,
    request: 'CreateService',
    success: { ...accepted('It is being made. Only this reply carries `initial_password`.', 'Service'), example: newService },
  },
  getService: { summary: 'Reads a service', description: confirmed, success: read('Service') },
  deleteService: {
    summary: 'Deletes a service and everything on it',
    description: 'In every state but `DELETING`.',
    success: accepted('It is being deleted: `DELETING`, then 404.'),
    conflict: 'It is being deleted already, or has read replica sets.',
  },
  startService: {
    summary: 'Starts a service',
    success: accepted('It is `RESUMING`, then `READY`. The body is not needed.', 'Service'),
    conflict: 'The service is not `PAUSED`.',
  },
  stopService: {
    summary: 'Stops a service',
    success: accepted('It is `PAUSING`, then `PAUSED`. The body is not needed.', 'Service'),
    conflict: readyOnly,
  },
  attachServiceToVpc: {
    summary: 'Attaches a service to a VPC',
    request: 'ServiceVpc',
    success: accepted('It is `CONFIGURING`, then `READY` with a `vpcEndpoint`. The body is not needed.', 'Message'),
    conflict: 'The service is not `READY`, or is attached to a VPC.',
  },
  detachServiceFromVpc: {
    summary: 'Detaches a service from a VPC',
    request: 'ServiceVpc',
    success: accepted('It is `CONFIGURING`, then `READY` without a `vpcEndpoint`. The body is not needed.', 'Message'),
    conflict: 'The service is not `READY`, or is not attached to this VPC.',
  },
  resizeService: {
    summary: 'Moves a service to another size',
    request: 'Resize',
    success: accepted('It is `CONFIGURING`, then `READY` with the new `resources`. The body is not needed.', 'Service'),
    conflict: readyOnly,
  },
  enableServicePooler: {
    summary: 'Switches the connection pooler of a service on',
    success: done('It is on: the service shows `connection_pooler`. The body is not needed.'),
    conflict: readyOnly,
  },
  disableServicePooler: {
    summary: 'Switches the connection pooler of a service off',
    success: done('It is off: the service shows no `connection_pooler`. The body is not needed.'),
    conflict: readyOnly,
  },
  forkService: {
    summary: 'Creates a service from a snapshot of another',
    description: `The new service lives by itself and has \`forked_from\`. ${noIdempotency}`,
    request: 'ForkService',
    success: {
      ...accepted('It is being made. Only this reply carries `initial_password`.', 'Service'),
      example: { ...newService, forked_from: { is_standby: false, project_id: 'prj1', service_id: 'c7x2k9' } },
    },
    conflict: 'The service in the path is neither `READY` nor `PAUSED`.',
  },
  updateServicePassword: {
    summary: 'Sets the password of the database user',
    description: 'The same password may be sent again: after a lost answer, the operator does.',
    request: 'UpdatePassword',
    success: { status: 204, description: 'It counts from now on.' },
    conflict: readyOnly,
  },
  setServiceEnvironment: {
    summary: 'Sets the environment tag of a service',
    request: 'SetEnvironment',
    success: done('It is set. The body is not needed.'),
    conflict: readyOnly,
  },
  setServiceHighAvailability: {
    summary: 'Sets the number of high-availability replicas',
    request: 'SetHighAvailability',
    success: accepted('It is `CONFIGURING`, then `READY` with the new `ha_replicas`. The body is not needed.', 'Service'),
    conflict: readyOnly,
  },
} satisfies Partial<Record<CloudOperation, OperationText>>;

const replicaSets = {
  listReplicaSets: {
    summary: 'All read replica sets of a service',
    description: `${polled} Not asked where services show \`read_replica_sets\`.`,
    success: list('ReplicaSet'),
  },
  createReplicaSet: {
    summary: 'Creates a read replica set',
    description: noIdempotency,
    request: 'CreateReplicaSet',
    success: { ...accepted('It is being made.', 'ReplicaSet'), example: { status: 'creating' } },
    conflict: readyOnly,
  },
  deleteReplicaSet: {
    summary: 'Deletes a read replica set',
    description: 'In every state but `deleting`.',
    success: accepted('It is being deleted: `deleting`, then gone from the list.'),
    conflict: 'It is being deleted already.',
  },
  resizeReplicaSet: {
    summary: 'Moves a read replica set to another size',
    request: 'Resize',
    success: accepted('It is `resizing`, then `active`. The body is not needed.', 'Message'),
    conflict: activeOnly,
  },
  enableReplicaSetPooler: {
    summary: 'Switches the connection pooler of a read replica set on',
    success: done('It is on: the set shows `connection_pooler`. The body is not needed.'),
    conflict: activeOnly,
  },
  disableReplicaSetPooler: {
    summary: 'Switches the connection pooler of a read replica set off',
    success: done('It is off: the set shows no `connection_pooler`. The body is not needed.'),
    conflict: activeOnly,
  },
  setReplicaSetEnvironment: {
    summary: 'Sets the environment tag of a read replica set',
    request: 'SetEnvironment',
    success: done('It is set. The body is not needed.'),
    conflict: activeOnly,
  },
} satisfies Partial<Record<CloudOperation, OperationText>>;

export const operationTexts: Readonly<Record<CloudOperation, OperationText>> = { ...account, ...vpcs, ...services, ...replicaSets };
