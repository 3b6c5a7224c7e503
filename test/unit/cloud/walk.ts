import assert from 'node:assert/strict';
import type { CloudApi, CloudOperation } from '../../../src/cloud/cloud-api.ts';
import { peeringId } from '../../../src/cloud/wire/peering.ts';
import { projectId } from '../../../src/cloud/wire/account.ts';
import { replicaSetId } from '../../../src/cloud/wire/replica-set.ts';
import { serviceId } from '../../../src/cloud/wire/service.ts';
import { vpcId } from '../../../src/cloud/wire/vpc.ts';
import { operations, type OperationCase } from './operations.ts';

export const project = projectId.parse('prj 7');

/** The ids that the walk has found so far. */
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

type Steps = Partial<Record<CloudOperation, Step>>;

const first: Steps = {
  getCredentialsInfo: (to) => to.getCredentialsInfo(),
  createVpc: async (to, walk) => {
    walk.vpc = vpcId.parse(
      (
        await to
          .project(project)
          .createVpc({ cidr: '10.0.0.0/16', name: 'net', region_code: 'eu-central-1' })
      ).id,
    );
  },
  listVpcs: async (to, { vpc }) =>
    assert.ok((await to.project(project).listVpcs()).some(({ id }) => id === vpc)),
  getVpc: async (to, { vpc }) =>
    assert.partialDeepStrictEqual(await to.project(project).getVpc(vpc), { id: vpc, name: 'net' }),
  renameVpc: (to, { vpc }) => to.project(project).renameVpc(vpc, { name: 'net2' }),
  createPeering: async (to, walk) => {
    const request = { peer_account_id: '1', peer_region_code: 'eu', peer_vpc_id: 'v' };
    walk.peering = peeringId.parse((await to.project(project).createPeering(walk.vpc, request)).id);
  },
  listPeerings: async (to, { vpc, peering }) =>
    assert.deepEqual(
      (await to.project(project).listPeerings(vpc)).map(({ id }) => id),
      [peering],
    ),
  getPeering: async (to, { vpc, peering }) =>
    assert.partialDeepStrictEqual(await to.project(project).getPeering(vpc, peering), {
      id: peering,
    }),
  deletePeering: (to, { vpc, peering }) => to.project(project).deletePeering(vpc, peering),
  createService: async (to, walk) => {
    const created = await to.project(project).createService({
      name: 'orders',
      cpu_millis: '500',
      memory_gbs: '2',
      environment_tag: 'DEV',
    });
    assert.ok(created.initial_password);
    walk.service = serviceId.parse(created.service_id);
  },
  listServices: async (to, { service }) =>
    assert.ok(
      (await to.project(project).listServices()).some(({ service_id: id }) => id === service),
    ),
  getService: async (to, { service }) =>
    assert.partialDeepStrictEqual(await to.project(project).getService(service), {
      service_id: service,
      name: 'orders',
    }),
  attachServiceToVpc: (to, { service, vpc }) =>
    to.project(project).attachServiceToVpc(service, { vpc_id: vpc }),
  detachServiceFromVpc: (to, { service, vpc }) =>
    to.project(project).detachServiceFromVpc(service, { vpc_id: vpc }),
};

const last: Steps = {
  forkService: async (to, walk) => {
    walk.fork = serviceId.parse(
      (await to.project(project).forkService(walk.service, { fork_strategy: 'NOW', name: 'copy' }))
        .service_id,
    );
  },
  createReplicaSet: async (to, walk) => {
    const created = await to
      .project(project)
      .createReplicaSet(walk.service, { name: 'reads', nodes: 1, cpu_millis: 500, memory_gbs: 2 });
    walk.set = replicaSetId.parse(created.id);
  },
  listReplicaSets: async (to, { service, set }) =>
    assert.deepEqual(
      (await to.project(project).listReplicaSets(service)).map(({ id }) => id),
      [set],
    ),
  resizeReplicaSet: (to, { service, set }) =>
    to.project(project).resizeReplicaSet(service, set, { cpu_millis: '1000', memory_gbs: '4' }),
  setReplicaSetEnvironment: (to, { service, set }) =>
    to.project(project).setReplicaSetEnvironment(service, set, { environment: 'PROD' }),
  enableReplicaSetPooler: (to, { service, set }) =>
    to.project(project).enableReplicaSetPooler(service, set),
  disableReplicaSetPooler: (to, { service, set }) =>
    to.project(project).disableReplicaSetPooler(service, set),
  deleteReplicaSet: (to, { service, set }) => to.project(project).deleteReplicaSet(service, set),
  stopService: (to, { service }) => to.project(project).stopService(service),
  startService: (to, { service }) => to.project(project).startService(service),
  deleteService: async (to, { service, fork }) => {
    await to.project(project).deleteService(service);
    await to.project(project).deleteService(fork);
  },
  deleteVpc: (to, { vpc }) => to.project(project).deleteVpc(vpc),
};

/** All other changes of a service, as their cases call them. */
const changes = Object.fromEntries(
  Object.entries<OperationCase>(operations)
    .filter(([operation]) => !Object.hasOwn(first, operation) && !Object.hasOwn(last, operation))
    .map(([operation, { call }]): [string, Step] => [
      operation,
      (to, walk) => call(to, undefined, walk),
    ]),
);

/** Every operation once, in an order in which each is allowed. */
export const walkOrder: Readonly<Record<string, Step>> = { ...first, ...changes, ...last };
