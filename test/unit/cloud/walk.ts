import assert from 'node:assert/strict';
import type { CloudApi, CloudOperation } from '../../../src/cloud/cloud-api.ts';
import { peeringId, projectId, replicaSetId, serviceId, vpcId } from '../../../src/cloud/wire/ids.ts';

export const project = projectId.parse('prj 7');

/** What the walk has found so far. */
export interface Walk {
  vpc: ReturnType<typeof vpcId.parse>;
  peering: ReturnType<typeof peeringId.parse>;
  service: ReturnType<typeof serviceId.parse>;
  fork: ReturnType<typeof serviceId.parse>;
  set: ReturnType<typeof replicaSetId.parse>;
}

export type Step = (api: CloudApi, walk: Walk) => Promise<unknown>;

/** Nothing found yet. */
export function newWalk(): Walk {
  return {
    vpc: vpcId.parse('-'),
    peering: peeringId.parse('-'),
    service: serviceId.parse('-'),
    fork: serviceId.parse('-'),
    set: replicaSetId.parse('-'),
  };
}

/** Every operation once, in an order in which each is allowed. */
export const walkOrder = {
  getCredentialsInfo: (to) => to.getCredentialsInfo(),
  createVpc: async (to, walk) => {
    walk.vpc = vpcId.parse((await to.createVpc(project, { cidr: '10.0.0.0/16', name: 'net', region_code: 'eu-central-1' })).id);
  },
  listVpcs: async (to, { vpc }) => assert.ok((await to.listVpcs(project)).some(({ id }) => id === vpc)),
  getVpc: async (to, { vpc }) => assert.partialDeepStrictEqual(await to.getVpc(project, vpc), { id: vpc, name: 'net' }),
  renameVpc: (to, { vpc }) => to.renameVpc(project, vpc, 'net2'),
  createPeering: async (to, walk) => {
    const request = { peer_account_id: '1', peer_region_code: 'eu', peer_vpc_id: 'v' };
    walk.peering = peeringId.parse((await to.createPeering(project, walk.vpc, request)).id);
  },
  listPeerings: async (to, { vpc, peering }) =>
    assert.deepEqual(
      (await to.listPeerings(project, vpc)).map(({ id }) => id),
      [peering],
    ),
  getPeering: async (to, { vpc, peering }) => assert.partialDeepStrictEqual(await to.getPeering(project, vpc, peering), { id: peering }),
  deletePeering: (to, { vpc, peering }) => to.deletePeering(project, vpc, peering),
  createService: async (to, walk) => {
    const created = await to.createService(project, { name: 'orders', cpu_millis: '500', memory_gbs: '2', environment_tag: 'DEV' });
    assert.ok(created.initial_password);
    walk.service = serviceId.parse(created.service_id);
  },
  listServices: async (to, { service }) => assert.ok((await to.listServices(project)).some(({ service_id: id }) => id === service)),
  getService: async (to, { service }) =>
    assert.partialDeepStrictEqual(await to.getService(project, service), { service_id: service, name: 'orders' }),
  attachServiceToVpc: (to, { service, vpc }) => to.attachServiceToVpc(project, service, vpc),
  detachServiceFromVpc: (to, { service, vpc }) => to.detachServiceFromVpc(project, service, vpc),
  resizeService: (to, { service }) => to.resizeService(project, service, { cpu_millis: '1000', memory_gbs: '4' }),
  setServiceHighAvailability: (to, { service }) => to.setServiceHighAvailability(project, service, { replica_count: 1 }),
  setServiceEnvironment: (to, { service }) => to.setServiceEnvironment(project, service, 'PROD'),
  enableServicePooler: (to, { service }) => to.enableServicePooler(project, service),
  disableServicePooler: (to, { service }) => to.disableServicePooler(project, service),
  updateServicePassword: (to, { service }) => to.updateServicePassword(project, service, 'a-new-password'),
  forkService: async (to, walk) => {
    walk.fork = serviceId.parse((await to.forkService(project, walk.service, { fork_strategy: 'NOW', name: 'copy' })).service_id);
  },
  createReplicaSet: async (to, walk) => {
    const created = await to.createReplicaSet(project, walk.service, { name: 'reads', nodes: 1, cpu_millis: 500, memory_gbs: 2 });
    walk.set = replicaSetId.parse(created.id);
  },
  listReplicaSets: async (to, { service, set }) =>
    assert.deepEqual(
      (await to.listReplicaSets(project, service)).map(({ id }) => id),
      [set],
    ),
  resizeReplicaSet: (to, { service, set }) => to.resizeReplicaSet(project, service, set, { cpu_millis: '1000', memory_gbs: '4' }),
  setReplicaSetEnvironment: (to, { service, set }) => to.setReplicaSetEnvironment(project, service, set, 'PROD'),
  enableReplicaSetPooler: (to, { service, set }) => to.enableReplicaSetPooler(project, service, set),
  disableReplicaSetPooler: (to, { service, set }) => to.disableReplicaSetPooler(project, service, set),
  deleteReplicaSet: (to, { service, set }) => to.deleteReplicaSet(project, service, set),
  stopService: (to, { service }) => to.stopService(project, service),
  startService: (to, { service }) => to.startService(project, service),
  deleteService: async (to, { service, fork }) => {
    await to.deleteService(project, service);
    await to.deleteService(project, fork);
  },
  deleteVpc: (to, { vpc }) => to.deleteVpc(project, vpc),
} satisfies Record<CloudOperation, Step>;
