import type { CallOptions, CloudApi, CloudOperation } from '../../../src/cloud/cloud-api.ts';
import { peeringId } from '../../../src/cloud/wire/peering.ts';
import { projectId } from '../../../src/cloud/wire/account.ts';
import { replicaSetId } from '../../../src/cloud/wire/replica-set.ts';
import { serviceId } from '../../../src/cloud/wire/service.ts';
import { vpcId } from '../../../src/cloud/wire/vpc.ts';

/** An operation as the document describes it: the call, the request and the reply. */
export interface OperationCase {
  readonly call: (api: CloudApi, options?: CallOptions, ids?: typeof someIds) => Promise<unknown>;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** Undefined: the request has no body. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** A reply as the document describes it, and the caller's result. Undefined: any reply gives the caller no result. */
  readonly reply?: unknown;
  /** A malformed reply, and the field that the error names. */
  readonly wrong?: { readonly reply: unknown; readonly field: string };
  /** A new resource comes into being; without this field the reply is of no use. */
  readonly newId?: 'id' | 'service_id';
}

const project = projectId.parse('prj 7');
const someIds = {
  vpc: vpcId.parse('vpc/1'),
  peering: peeringId.parse('pcx?1'),
  service: serviceId.parse('sv%1'),
  set: replicaSetId.parse('rs#ä'),
};

const vpcs = '/projects/prj%207/vpcs';
const oneVpc = `${vpcs}/vpc%2F1`;
const peerings = `${oneVpc}/peerings`;
const services = '/projects/prj%207/services';
const oneService = `${services}/sv%251`;
const sets = `${oneService}/replicaSets`;
const oneSet = `${sets}/rs%23%C3%A4`;

const info = {
  type: 'apiKey',
  apiKey: { name: 'k', project: { id: 'prj7', name: 'p', plan_type: 'FREE' }, public_key: 'pk' },
};
const vpcReply = { id: '8801', cidr: '10.0.0.0/16', name: 'n', region_code: 'eu-central-1' };
const peeringReply = {
  id: '31',
  peer_account_id: '1',
  peer_region_code: 'eu',
  peer_vpc_id: 'v',
  provisioned_id: 'p',
  status: 'pending',
};
const serviceReply = {
  service_id: 'k2m9q1zx4w',
  project_id: 'prj7',
  name: 'n',
  status: 'A_STATE_NOBODY_KNOWS',
  endpoint: { host: 'h', port: 5432 },
  resources: [{ id: '1', spec: { cpu_millis: 500, memory_gbs: 2, volume_type: 'gp3' } }],
  vpcEndpoint: { anything: [1] },
};
const setReply = {
  id: 'r1',
  name: 'n',
  nodes: 2,
  cpu_millis: 500,
  memory_gbs: 2,
  status: 'creating',
};
const newVpc = { cidr: '10.0.0.0/16', name: 'n', region_code: 'eu-central-1' };
const newPeering = { peer_account_id: '1', peer_region_code: 'eu', peer_vpc_id: 'v' };
const newService = {
  name: 'n',
  cpu_millis: '500',
  memory_gbs: '2',
  addons: ['ai'],
  replica_count: 1,
} as const;
const fork = { fork_strategy: 'PITR', target_time: '2026-01-01T00:00:00Z' } as const;
const size = { cpu_millis: '1000', memory_gbs: '4' };
const newSet = { name: 'n', nodes: 2, cpu_millis: 500, memory_gbs: 2 };

/** All operations: a missing or an additional row does not compile. */
export const operations = {
  getCredentialsInfo: {
    call: (api, options) => api.getCredentialsInfo(options),
    method: 'GET',
    path: '/auth/info',
    reply: info,
    wrong: { reply: { apiKey: { project: {} } }, field: 'apiKey.project.id: expected string' },
  },

  listVpcs: {
    call: (api, options) => api.project(project).listVpcs(options),
    method: 'GET',
    path: vpcs,
    reply: [vpcReply],
    wrong: { reply: {}, field: 'the reply: expected array' },
  },
  createVpc: {
    call: (api, options) => api.project(project).createVpc(newVpc, options),
    method: 'POST',
    path: vpcs,
    body: newVpc,
    reply: vpcReply,
    wrong: { reply: { id: 1, cidr: '10.0.0.0/16' }, field: 'id: expected string' },
    newId: 'id',
  },
  getVpc: {
    call: (api, options, { vpc } = someIds) => api.project(project).getVpc(vpc, options),
    method: 'GET',
    path: oneVpc,
    reply: { ...vpcReply, id: 'vpc/1' },
    wrong: { reply: [], field: 'the reply: expected object' },
  },
  deleteVpc: {
    call: (api, options, { vpc } = someIds) => api.project(project).deleteVpc(vpc, options),
    method: 'DELETE',
    path: oneVpc,
  },
  renameVpc: {
    call: (api, options, { vpc } = someIds) =>
      api.project(project).renameVpc(vpc, { name: 'new' }, options),
    method: 'POST',
    path: `${oneVpc}/rename`,
    body: { name: 'new' },
  },

  listPeerings: {
    call: (api, options, { vpc } = someIds) => api.project(project).listPeerings(vpc, options),
    method: 'GET',
    path: peerings,
    reply: [peeringReply],
    wrong: {
      reply: [{ ...peeringReply, peer_region_code: 1 }],
      field: 'peer_region_code of 31: expected string',
    },
  },
  createPeering: {
    call: (api, options, { vpc } = someIds) =>
      api.project(project).createPeering(vpc, newPeering, options),
    method: 'POST',
    path: peerings,
    body: newPeering,
    reply: peeringReply,
    wrong: { reply: 'created', field: 'the reply: expected object' },
    newId: 'id',
  },
  getPeering: {
    call: (api, options, { vpc, peering } = someIds) =>
      api.project(project).getPeering(vpc, peering, options),
    method: 'GET',
    path: `${peerings}/pcx%3F1`,
    reply: { ...peeringReply, id: 'pcx?1' },
    wrong: {
      reply: { ...peeringReply, peer_vpc_id: null },
      field: 'peer_vpc_id of 31: expected string',
    },
  },
  deletePeering: {
    call: (api, options, { vpc, peering } = someIds) =>
      api.project(project).deletePeering(vpc, peering, options),
    method: 'DELETE',
    path: `${peerings}/pcx%3F1`,
  },

  listServices: {
    call: (api, options) => api.project(project).listServices(options),
    method: 'GET',
    path: services,
    reply: [serviceReply, { service_id: 's2', read_replica_sets: [setReply] }],
    wrong: {
      reply: [{ service_id: 's1' }, { endpoint: {} }],
      field: 'service_id of item 2 of the list: expected string',
    },
  },
  createService: {
    call: (api, options) => api.project(project).createService(newService, options),
    method: 'POST',
    path: services,
    body: newService,
    reply: { ...serviceReply, initial_password: 'first-password' },
    wrong: {
      reply: { service_id: 77, initial_password: 'first-password' },
      field: 'service_id: expected string',
    },
    newId: 'service_id',
  },
  getService: {
    call: (api, options, { service } = someIds) =>
      api.project(project).getService(service, options),
    method: 'GET',
    path: oneService,
    reply: { ...serviceReply, service_id: 'sv%1' },
    wrong: {
      reply: { service_id: 'sv%1', endpoint: [] },
      field: 'endpoint of sv%1: expected object',
    },
  },
  deleteService: {
    call: (api, options, { service } = someIds) =>
      api.project(project).deleteService(service, options),
    method: 'DELETE',
    path: oneService,
  },
  startService: {
    call: (api, options, { service } = someIds) =>
      api.project(project).startService(service, options),
    method: 'POST',
    path: `${oneService}/start`,
  },
  stopService: {
    call: (api, options, { service } = someIds) =>
      api.project(project).stopService(service, options),
    method: 'POST',
    path: `${oneService}/stop`,
  },
  attachServiceToVpc: {
    call: (api, options, { vpc, service } = someIds) =>
      api.project(project).attachServiceToVpc(service, { vpc_id: vpc }, options),
    method: 'POST',
    path: `${oneService}/attachToVPC`,
    body: { vpc_id: 'vpc/1' },
  },
  detachServiceFromVpc: {
    call: (api, options, { vpc, service } = someIds) =>
      api.project(project).detachServiceFromVpc(service, { vpc_id: vpc }, options),
    method: 'POST',
    path: `${oneService}/detachFromVPC`,
    body: { vpc_id: 'vpc/1' },
  },
  resizeService: {
    call: (api, options, { service } = someIds) =>
      api.project(project).resizeService(service, size, options),
    method: 'POST',
    path: `${oneService}/resize`,
    body: size,
  },
  enableServicePooler: {
    call: (api, options, { service } = someIds) =>
      api.project(project).enableServicePooler(service, options),
    method: 'POST',
    path: `${oneService}/enablePooler`,
  },
  disableServicePooler: {
    call: (api, options, { service } = someIds) =>
      api.project(project).disableServicePooler(service, options),
    method: 'POST',
    path: `${oneService}/disablePooler`,
  },
  forkService: {
    call: (api, options, { service } = someIds) =>
      api.project(project).forkService(service, fork, options),
    method: 'POST',
    path: `${oneService}/forkService`,
    body: fork,
    reply: {
      ...serviceReply,
      forked_from: { is_standby: false, project_id: 'prj7', service_id: 's' },
    },
    wrong: { reply: { service_id: '' }, field: 'service_id: expected another value' },
    newId: 'service_id',
  },
  updateServicePassword: {
    call: (api, options, { service } = someIds) =>
      api.project(project).updateServicePassword(service, { password: 'a-new-password' }, options),
    method: 'POST',
    path: `${oneService}/updatePassword`,
    body: { password: 'a-new-password' },
  },
  setServiceEnvironment: {
    call: (api, options, { service } = someIds) =>
      api.project(project).setServiceEnvironment(service, { environment: 'PROD' }, options),
    method: 'POST',
    path: `${oneService}/setEnvironment`,
    body: { environment: 'PROD' },
  },
  setServiceHighAvailability: {
    call: (api, options, { service } = someIds) =>
      api
        .project(project)
        .setServiceHighAvailability(service, { replica_count: 2, sync_replica_count: 1 }, options),
    method: 'POST',
    path: `${oneService}/setHA`,
    body: { replica_count: 2, sync_replica_count: 1 },
  },

  listReplicaSets: {
    call: (api, options, { service } = someIds) =>
      api.project(project).listReplicaSets(service, options),
    method: 'GET',
    path: sets,
    reply: [setReply],
    wrong: { reply: [{ nodes: 2, name: 'r' }], field: 'id of the item named "r": expected string' },
  },
  createReplicaSet: {
    call: (api, options, { service } = someIds) =>
      api.project(project).createReplicaSet(service, newSet, options),
    method: 'POST',
    path: sets,
    body: newSet,
    reply: setReply,
    wrong: { reply: { id: ['r'] }, field: 'id: expected string' },
    newId: 'id',
  },
  deleteReplicaSet: {
    call: (api, options, { service, set } = someIds) =>
      api.project(project).deleteReplicaSet(service, set, options),
    method: 'DELETE',
    path: oneSet,
  },
  resizeReplicaSet: {
    call: (api, options, { service, set } = someIds) =>
      api.project(project).resizeReplicaSet(service, set, size, options),
    method: 'POST',
    path: `${oneSet}/resize`,
    body: size,
  },
  enableReplicaSetPooler: {
    call: (api, options, { service, set } = someIds) =>
      api.project(project).enableReplicaSetPooler(service, set, options),
    method: 'POST',
    path: `${oneSet}/enablePooler`,
  },
  disableReplicaSetPooler: {
    call: (api, options, { service, set } = someIds) =>
      api.project(project).disableReplicaSetPooler(service, set, options),
    method: 'POST',
    path: `${oneSet}/disablePooler`,
  },
  setReplicaSetEnvironment: {
    call: (api, options, { service, set } = someIds) =>
      api.project(project).setReplicaSetEnvironment(service, set, { environment: 'DEV' }, options),
    method: 'POST',
    path: `${oneSet}/setEnvironment`,
    body: { environment: 'DEV' },
  },
} satisfies Record<CloudOperation, OperationCase>;

export const allOperations: readonly (readonly [string, OperationCase])[] =
  Object.entries(operations);
