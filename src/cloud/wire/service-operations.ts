import {
  accepted,
  confirmed,
  done,
  list,
  noIdempotency,
  polled,
  read,
  type Operations,
} from './operation.ts';

const service = '/projects/{project_id}/services/{service_id}';
const readyOnly = 'The service is not `READY`.';
const newService = { status: 'QUEUED', initial_password: 'Zq7-first-password' };

/** The operations on services. They have a file of their own because of their number. */
export const serviceOperations = {
  listServices: {
    effect: 'read',
    path: '/projects/{project_id}/services',
    summary: 'All services of the project',
    description: polled,
    success: list('Service'),
  },
  createService: {
    effect: 'create',
    path: '/projects/{project_id}/services',
    summary: 'Creates a service',
    description: noIdempotency,
    request: 'CreateService',
    success: {
      ...accepted('The cloud is creating it. Only this reply has `initial_password`.', 'Service'),
      example: newService,
    },
  },
  getService: {
    effect: 'read',
    path: service,
    summary: 'Reads a service',
    description: confirmed,
    success: read('Service'),
  },
  deleteService: {
    effect: 'delete',
    path: service,
    summary: 'Deletes a service and everything on it',
    description: 'In every state but `DELETING`.',
    success: { status: 202, description: 'It is being deleted: `DELETING`, then 404.' },
    conflict: 'It is being deleted already, or has read replica sets.',
  },
  startService: {
    effect: 'change',
    path: `${service}/start`,
    summary: 'Starts a service',
    success: accepted('It is `RESUMING`, then `READY`. The body is not needed.', 'Service'),
    conflict: 'The service is not `PAUSED`.',
  },
  stopService: {
    effect: 'change',
    path: `${service}/stop`,
    summary: 'Stops a service',
    success: accepted('It is `PAUSING`, then `PAUSED`. The body is not needed.', 'Service'),
    conflict: readyOnly,
  },
  attachServiceToVpc: {
    effect: 'change',
    path: `${service}/attachToVPC`,
    summary: 'Attaches a service to a VPC',
    request: 'ServiceVpc',
    success: accepted(
      'It is `CONFIGURING`, then `READY` with a `vpcEndpoint`. The body is not needed.',
      'Message',
    ),
    conflict: 'The service is not `READY`, or is attached to a VPC.',
  },
  detachServiceFromVpc: {
    effect: 'change',
    path: `${service}/detachFromVPC`,
    summary: 'Detaches a service from a VPC',
    request: 'ServiceVpc',
    success: accepted(
      'It is `CONFIGURING`, then `READY` without a `vpcEndpoint`. The body is not needed.',
      'Message',
    ),
    conflict: 'The service is not `READY`, or is not attached to this VPC.',
  },
  resizeService: {
    effect: 'change',
    path: `${service}/resize`,
    summary: 'Moves a service to another size',
    request: 'Resize',
    success: accepted(
      'It is `CONFIGURING`, then `READY` with the new `resources`. The body is not needed.',
      'Service',
    ),
    conflict: readyOnly,
  },
  enableServicePooler: {
    effect: 'change',
    path: `${service}/enablePooler`,
    summary: 'Switches the connection pooler of a service on',
    success: done('It is on: the service shows `connection_pooler`. The body is not needed.'),
    conflict: readyOnly,
  },
  disableServicePooler: {
    effect: 'change',
    path: `${service}/disablePooler`,
    summary: 'Switches the connection pooler of a service off',
    success: done('It is off: the service shows no `connection_pooler`. The body is not needed.'),
    conflict: readyOnly,
  },
  forkService: {
    effect: 'create',
    path: `${service}/forkService`,
    summary: 'Creates a service from a snapshot of another',
    description: `The new service is independent and has \`forked_from\`. ${noIdempotency}`,
    request: 'ForkService',
    success: {
      ...accepted('The cloud is creating it. Only this reply has `initial_password`.', 'Service'),
      example: {
        ...newService,
        forked_from: { is_standby: false, project_id: 'prj1', service_id: 'c7x2k9' },
      },
    },
    conflict: 'The service in the path is neither `READY` nor `PAUSED`.',
  },
  updateServicePassword: {
    effect: 'change',
    path: `${service}/updatePassword`,
    summary: 'Sets the password of the database user',
    description: 'After a lost answer, the operator sends the same password again.',
    request: 'UpdatePassword',
    success: { status: 204, description: 'The new password is valid.' },
    conflict: readyOnly,
  },
  setServiceEnvironment: {
    effect: 'change',
    path: `${service}/setEnvironment`,
    summary: 'Sets the environment tag of a service',
    request: 'SetEnvironment',
    success: done('It is set. The body is not needed.'),
    conflict: readyOnly,
  },
  setServiceHighAvailability: {
    effect: 'change',
    path: `${service}/setHA`,
    summary: 'Sets the number of high-availability replicas',
    request: 'SetHighAvailability',
    success: accepted(
      'It is `CONFIGURING`, then `READY` with the new `ha_replicas`. The body is not needed.',
      'Service',
    ),
    conflict: readyOnly,
  },
} as const satisfies Operations;
