import type { CloudOperation } from '../../../src/cloud/cloud-api.ts';
import { resourceKey } from '../../../src/runtime/index.ts';
import type { Kind } from '../../../src/simulator/store.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { fork, peering, replicaSet, service, vpc } from '../../support/manifests.ts';
import { serviceChanges } from '../../support/service-values.ts';
import { until } from '../../support/until.ts';
import { worldTypes, type World, type WorldKind, type WorldOptions } from '../../support/world.ts';

/** The phase of the object when the endpoint fails. */
export type Phase = 'created' | 'ready' | 'changed' | 'deleted';

/** A cloud operation in a phase, and the story that needs it. */
export interface Row {
  readonly operation: CloudOperation;
  readonly phase: Phase;
  /** Sets two rows of the same apart. */
  readonly of?: string;
  readonly settings?: WorldOptions['settings'];
  /** The cloud shows no state of a deletion: the resource is gone with the answer. */
  readonly deletesAtOnce?: true;
  /** Services do not list their replica sets. */
  readonly listsApart?: true;
  readonly before: (world: World) => Promise<unknown>;
  readonly act: (world: World) => Promise<unknown>;
  /** A new process, which knows no API key yet. */
  readonly restarts?: true;
  /** The object that waits for the operation; undefined: no object waits for it. */
  readonly waits: readonly [WorldKind, string] | undefined;
  /** An object that does not need this call and continues. */
  readonly goesOn?: readonly [WorldKind, string];
  /** The kinds of all resources created by the end, without that of `goesOn`. */
  readonly made: readonly Kind[];
  readonly left?: readonly Kind[];
}

const key = (world: World, name: string) => resourceKey(world.namespace, name);
export function beginDeletion(world: World, kind: WorldKind, name: string) {
  return world.kubernetes.delete<unknown>(worldTypes[kind], key(world, name));
}

const nothing = () => Promise.resolve();
const applyVpc = (world: World) => world.apply(vpc('prod'));
const vpcReady = async (world: World, spec: object = {}) => {
  await world.applyUntilReady(vpc('prod', spec));
};
const serviceReady = async (world: World, spec: object = {}) => {
  await world.applyUntilReady(service('orders', spec));
};
const readsReady = async (world: World, spec: object = {}) => {
  await serviceReady(world);
  await world.applyUntilReady(replicaSet('reads', 'orders', spec));
};
const attachedReady = async (world: World) => {
  await vpcReady(world);
  await serviceReady(world, { vpcRef: { name: 'prod' } });
};
const everythingReady = async (world: World) => {
  await vpcReady(world, { peerings: [peering] });
  await readsReady(world);
};

const prod = ['vpc', 'prod'] as const;
const orders = ['service', 'orders'] as const;
const reads = ['replicaSet', 'reads'] as const;
/** Objects that are made meanwhile. */
const anotherVpc = ['vpc', 'aside'] as const;
const anotherService = ['service', 'aside'] as const;

const peered = { peerings: [peering] };

const created: readonly Omit<Row, 'phase'>[] = [
  {
    operation: 'getCredentialsInfo',
    before: nothing,
    act: applyVpc,
    restarts: true,
    waits: prod,
    made: ['vpc'],
  },
  {
    operation: 'listVpcs',
    before: nothing,
    act: applyVpc,
    restarts: true,
    waits: prod,
    goesOn: anotherService,
    made: ['vpc'],
  },
  {
    operation: 'createVpc',
    before: nothing,
    act: applyVpc,
    waits: prod,
    goesOn: anotherService,
    made: ['vpc'],
  },
  {
    operation: 'listPeerings',
    before: nothing,
    act: (world) => world.apply(vpc('prod', peered)),
    waits: prod,
    goesOn: anotherService,
    made: ['vpc', 'peering'],
  },
  {
    operation: 'createPeering',
    before: nothing,
    act: (world) => world.apply(vpc('prod', peered)),
    waits: prod,
    goesOn: anotherService,
    made: ['vpc', 'peering'],
  },
  {
    operation: 'listServices',
    before: nothing,
    act: (world) => world.apply(service('orders')),
    restarts: true,
    waits: orders,
    goesOn: anotherVpc,
    made: ['service'],
  },
  {
    operation: 'createService',
    before: nothing,
    act: (world) => world.apply(service('orders')),
    waits: orders,
    goesOn: anotherVpc,
    made: ['service'],
  },
  {
    operation: 'forkService',
    before: serviceReady,
    act: (world) => world.apply(fork('drill', 'orders')),
    waits: ['service', 'drill'],
    goesOn: anotherService,
    made: ['service', 'service'],
  },
  {
    operation: 'attachServiceToVpc',
    before: vpcReady,
    act: (world) => world.apply(service('orders', { vpcRef: { name: 'prod' } })),
    waits: orders,
    goesOn: anotherService,
    made: ['vpc', 'service'],
  },
  {
    operation: 'createReplicaSet',
    before: serviceReady,
    act: (world) => world.apply(replicaSet('reads', 'orders')),
    waits: reads,
    goesOn: anotherService,
    made: ['service', 'replicaSet'],
  },
  {
    operation: 'listReplicaSets',
    listsApart: true,
    before: serviceReady,
    act: (world) => world.apply(replicaSet('reads', 'orders')),
    waits: reads,
    goesOn: anotherService,
    made: ['service', 'replicaSet'],
  },
];

/** Nothing goes on without it. */
function alone({ goesOn: _goesOn, ...row }: Omit<Row, 'phase'>): Omit<Row, 'phase'> {
  return row;
}

const all: readonly Kind[] = ['vpc', 'peering', 'service', 'replicaSet'];
const atRest = { before: everythingReady, act: nothing, waits: undefined, made: all } as const;

const ready: readonly Omit<Row, 'phase'>[] = [
  { operation: 'getCredentialsInfo', ...atRest, restarts: true },
  { operation: 'listVpcs', ...atRest },
  { operation: 'listPeerings', ...atRest },
  { operation: 'listServices', ...atRest },
  { operation: 'listReplicaSets', ...atRest, listsApart: true },
];

const ofVpc = (
  operation: CloudOperation,
  from: object,
  to: object,
  made: readonly Kind[],
  left: readonly Kind[] = made,
): Omit<Row, 'phase'> => ({
  operation,
  before: (world) => vpcReady(world, from),
  act: (world) => world.apply(vpc('prod', to)),
  waits: prod,
  goesOn: anotherService,
  made,
  left,
});
const ofService = (operation: CloudOperation, from: object, to: object): Omit<Row, 'phase'> => ({
  operation,
  before: (world) => serviceReady(world, from),
  act: (world) => world.apply(service('orders', to)),
  waits: orders,
  goesOn: anotherVpc,
  made: ['service'],
});
const ofReplicaSet = (operation: CloudOperation, from: object, to: object): Omit<Row, 'phase'> => ({
  operation,
  before: (world) => readsReady(world, from),
  act: (world) => world.apply(replicaSet('reads', 'orders', to)),
  waits: reads,
  goesOn: anotherVpc,
  made: ['service', 'replicaSet'],
});
/** The list lacks its last item from now on, which is asked for by itself then. */
const unlisted = (row: Omit<Row, 'phase'>, list: CloudOperation): Omit<Row, 'phase'> => ({
  ...row,
  async act(world) {
    world.project.faults.add({ kind: 'truncatedList', operation: list, drop: 1 });
    const before = callsOf(world, list);
    await until(`a list without it, by ${list}`, () => callsOf(world, list) > before);
    return row.act(world);
  },
});
const bigger = { cpuMillis: 2000, memoryGbs: 8 };
const pooled = { connectionPooler: { enabled: true } };
const unpooled = { connectionPooler: { enabled: false } };

const changed: readonly Omit<Row, 'phase'>[] = [
  alone({ ...ofService('getCredentialsInfo', {}, bigger), restarts: true }),
  ofVpc('renameVpc', { name: 'one' }, { name: 'two' }, ['vpc']),
  { ...ofVpc('listVpcs', { name: 'one' }, { name: 'two' }, ['vpc']), of: 'a rename' },
  ofVpc('listPeerings', {}, peered, ['vpc', 'peering']),
  ofVpc('createPeering', {}, peered, ['vpc', 'peering']),
  ofVpc('deletePeering', peered, { peerings: [] }, ['vpc', 'peering'], ['vpc']),
  ofService('listServices', {}, bigger),
  ofService('startService', { powerState: 'Stopped' }, { powerState: 'Running' }),
  ofService('stopService', {}, { powerState: 'Stopped' }),
  ...serviceChanges.map(({ operation, spec }) => ofService(operation, {}, spec)),
  ofService('disableServicePooler', pooled, unpooled),
  ofService('updateServicePassword', {}, { password: { rotation: 'two' } }),
  {
    operation: 'attachServiceToVpc',
    async before(world) {
      await vpcReady(world);
      await serviceReady(world);
    },
    act: (world) => world.apply(service('orders', { vpcRef: { name: 'prod' } })),
    waits: orders,
    goesOn: anotherService,
    made: ['vpc', 'service'],
  },
  {
    operation: 'detachServiceFromVpc',
    before: attachedReady,
    act: (world) => world.apply(service('orders')),
    waits: orders,
    goesOn: anotherService,
    made: ['vpc', 'service'],
  },
  { ...ofReplicaSet('listReplicaSets', {}, bigger), listsApart: true },
  unlisted(ofService('getService', {}, bigger), 'listServices'),
  unlisted(ofVpc('getVpc', { name: 'one' }, { name: 'two' }, ['vpc']), 'listVpcs'),
  unlisted(
    ofVpc('getPeering', peered, { peerings: [] }, ['vpc', 'peering'], ['vpc']),
    'listPeerings',
  ),
  ofReplicaSet('resizeReplicaSet', {}, bigger),
  ofReplicaSet('enableReplicaSetPooler', {}, pooled),
  ofReplicaSet('disableReplicaSetPooler', pooled, unpooled),
  ofReplicaSet('setReplicaSetEnvironment', {}, { environment: 'PROD' }),
];

const vpcGoes = {
  before: vpcReady,
  act: (world: World) => beginDeletion(world, 'vpc', 'prod'),
  waits: prod,
  goesOn: anotherService,
  made: ['vpc'],
  left: [],
} as const;
const peeredGoes = {
  ...vpcGoes,
  before: (world: World) => vpcReady(world, peered),
  made: ['vpc', 'peering'],
} as const;
const serviceGoes = {
  before: serviceReady,
  act: (world: World) => beginDeletion(world, 'service', 'orders'),
  waits: orders,
  goesOn: anotherVpc,
  made: ['service'],
  left: [],
} as const;
const readsGo = {
  before: readsReady,
  act: (world: World) => beginDeletion(world, 'replicaSet', 'reads'),
  waits: reads,
  goesOn: anotherVpc,
  made: ['service', 'replicaSet'],
  left: ['service'],
} as const;

const deleted: readonly Omit<Row, 'phase'>[] = [
  alone({ operation: 'getCredentialsInfo', ...vpcGoes, restarts: true }),
  { operation: 'deleteVpc', ...vpcGoes },
  { operation: 'listVpcs', ...vpcGoes },
  { operation: 'listServices', ...vpcGoes, of: 'a VPC', goesOn: anotherVpc },
  { operation: 'listPeerings', ...peeredGoes },
  { operation: 'deletePeering', ...peeredGoes },
  { operation: 'deleteService', ...serviceGoes },
  { operation: 'listServices', ...serviceGoes },
  // A deletion that a list has shown needs no GET.
  { operation: 'getService', ...serviceGoes, deletesAtOnce: true },
  { operation: 'listReplicaSets', ...serviceGoes, of: 'a service', listsApart: true },
  { operation: 'deleteReplicaSet', ...readsGo },
  { operation: 'listReplicaSets', ...readsGo, listsApart: true },
];

/** Each operation in each phase in which the operator needs it. */
export const rows: readonly Row[] = [
  ...created.map((row) => ({ ...row, phase: 'created' as const })),
  ...ready.map((row) => ({ ...row, phase: 'ready' as const })),
  ...changed.map((row) => ({ ...row, phase: 'changed' as const })),
  ...deleted.map((row) => ({ ...row, phase: 'deleted' as const })),
];
