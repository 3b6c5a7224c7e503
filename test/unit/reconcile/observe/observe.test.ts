import type { ResourceRecord } from '../../../../src/resources/ledger-entry.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operatorCaches } from '../../../../src/operator/caches.ts';
import { cloudClient } from '../../../../src/cloud/cloud-client.ts';
import { projectObserver } from '../../../../src/cloud/project-observer.ts';
import { rateLimiter } from '../../../../src/cloud/rate-limiter.ts';
import { projectId } from '../../../../src/cloud/wire/account.ts';
import { reconcilers } from '../../../../src/reconcile/kinds/all.ts';
import type { KindReconciler } from '../../../../src/reconcile/kinds/kind.ts';
import { claimTable } from '../../../../src/reconcile/wiring/claims.ts';
import type { View } from '../../../../src/reconcile/wiring/context.ts';
import type { Remembered } from '../../../../src/reconcile/wiring/memory.ts';
import type { Situation } from '../../../../src/reconcile/situation/situation.ts';
import { annotations, namespaceAnnotations } from '../../../../src/resources/annotations.ts';
import { namespaceMetadata } from '../../../../src/resources/namespace-metadata.ts';
import {
  resourceTypes,
  type Kind,
  type ManagedObject,
} from '../../../../src/resources/managed-object.ts';
import {
  acceleratedClock,
  keyOf,
  objectCache,
  type ObjectCache,
} from '../../../../src/runtime/index.ts';
import { defaultOptions } from '../../../support/default-options.ts';
import { ledgerEntry } from '../../../support/ledger-entry.ts';
import { recordOf } from '../../../support/situation.ts';
import { inProcessCloud, type InProcessCloud } from '../../simulator/in-process-cloud.ts';

/** An observation changes no memory: the situation carries the facts that it has learned. */

const ahead = '2096-11-21T12:00:00.000Z';
const attempt = { id: 'open', at: ahead, request: { name: 'orders-open' }, sameNameIds: [] };
const refusal = { failures: 1, at: ahead, message: 'no' };

interface Given {
  readonly kind: Kind;
  readonly spec: object;
  readonly status?: object;
  /** @param ids of the resources in the cloud */
  readonly record: (ids: { readonly service: string; readonly vpc: string }) => ResourceRecord;
  /** The facts that this process first sees in this observation. */
  readonly seen: readonly string[];
}

let cloud: InProcessCloud;
let ids: { readonly service: string; readonly vpc: string };
beforeAll(async () => {
  cloud = await inProcessCloud();
  ids = { service: await cloud.serviceIn('READY'), vpc: await cloud.vpc() };
});
afterAll(() => cloud[Symbol.asyncDispose]());

test.each<[sentence: string, given: Given]>([
  [
    'a service that the cloud is at work on',
    {
      kind: 'ManagedService',
      spec: {},
      status: { lastOperation: { operation: 'resizeService', wanted: 'x', at: ahead }, refusal },
      record: ({ service }) => recordOf(service, { projectId: 'prj1' }),
      seen: [`written ${ahead}`],
    },
  ],
  [
    'a service whose create is not answered',
    {
      kind: 'ManagedService',
      spec: {},
      record: () => ({ attempt, projectId: 'prj1' }),
      seen: ['attempt open'],
    },
  ],
  [
    'a VPC whose peering is not answered',
    {
      kind: 'ManagedVpc',
      spec: { cidr: '10.0.0.0/16', regionCode: 'eu-central-1' },
      record: ({ vpc }) =>
        recordOf(vpc, { projectId: 'prj1', peerings: { 'a/b/c': { pendingSince: ahead } } }),
      seen: [`peering a/b/c ${ahead}`],
    },
  ],
  [
    'a replica set whose create is not answered',
    {
      kind: 'ReplicaSet',
      spec: { serviceRef: { name: 'orders' }, nodes: 1, cpuMillis: 1_000, memoryGbs: 4 },
      record: ({ service }) => ({
        attempt: { ...attempt, request: { ...attempt.request, parentId: service } },
        projectId: 'prj1',
      }),
      seen: ['attempt open'],
    },
  ],
])(
  '%s is looked at twice, and changes nothing of what is remembered',
  async (_, { kind, record, seen, ...given }) => {
    const look = lookAt(kind, { ...given, record: record(ids) });
    const first = await look(frozen({ failures: 0, refusals: new Map(), firstSeen: new Map() }));
    expect([...first.learned.firstSeen]).toEqual(
      expect.arrayContaining(seen.map((what) => [what, first.now])),
    );
    expect(first.learned).toMatchObject({ requestedVisit: { text: 'now', at: first.now } });
    const second = await look(frozen({ failures: 0, refusals: new Map(), ...first.learned }));
    expect(second.now).toBeGreaterThan(first.now);
    const { refusals: forgotten, ...again } = first.learned;
    expect(forgotten?.size, 'the request is new only once').toBe(0);
    expect(second.learned, 'once it is taken in, the same is learned again').toEqual(again);
  },
);

test.each([
  ['the service itself', (id: string) => id, 'resizeService'],
  ['a lost one in whose place it is', () => 'lost', undefined],
])('what status says that %s was asked for', async (_, idOf, seen) => {
  const id = ids.service;
  const status = {
    id: idOf(id),
    lastOperation: { operation: 'resizeService', wanted: 'x', at: '2026-11-21T12:00:00.000Z' },
  };
  const record = recordOf(id, { projectId: 'prj1' });
  const look = lookAt('ManagedService', { spec: {}, status, record });
  const { lastOperation } = await look({
    failures: 0,
    refusals: new Map(),

    firstSeen: new Map(),
  });
  expect(lastOperation?.operation).toBe(seen);
});

test('the rules of the Namespace are facts of the visit, and an unseen Namespace holds changes', async () => {
  const record = recordOf(ids.service, { projectId: 'prj1' });
  const windows = 'Sat 02:00-05:00 Europe/Berlin';
  const remembered = {
    failures: 0,
    refusals: new Map<never, never>(),
    firstSeen: new Map<never, never>(),
  };
  const seen = lookAt('ManagedService', { spec: {}, record, windows });
  expect((await seen(remembered)).rules).toMatchObject({
    levels: [{ source: 'namespace', windows: [{ text: windows }] }],
    approval: undefined,
  });
  const unseen = lookAt('ManagedService', { spec: {}, record });
  expect((await unseen(remembered)).rules?.problem).toContain('does not see');
});

/** An object as the API server has it, and how to look at it with a memory. The lists of the cloud are there to be read, too. */
function lookAt(
  kind: Kind,
  {
    record,
    windows,
    ...given
  }: {
    readonly spec: object;
    readonly status?: object;
    readonly record: ResourceRecord;
    readonly windows?: string;
  },
) {
  const clock = acceleratedClock(1_000);
  const api = cloudClient({ baseUrl: new URL(cloud.simulator.url), apiKey: 'key-1' });
  const id = projectId.parse('prj1');
  const observer = projectObserver({ api, projectId: id, clock, random: () => 0 });
  for (const list of [observer.vpcs, observer.services])
    for (const change of [
      'put',
      'acceptRemoval',
      'denyRemoval',
      'expectProgress',
      'onChange',
    ] as const)
      Object.assign(list, { [change]: refuse });
  const account = {
    projectId: id,
    project: api.project(id),
    observer,
    limiter: rateLimiter({ clock }),
    operatorsOwn: false,
  };
  const caches = operatorCaches({ cache: () => objectCache([undefined]) }, 'managed-db-ledger');
  const claims = claimTable(caches, clock);
  const metadata = {
    name: 'orders',
    namespace: 'shop',
    uid: 'uid',
    resourceVersion: '1',
    generation: 1,
    annotations: { [annotations.requestedAt]: 'now' },
  };
  const object: ManagedObject = resourceTypes[kind].parse({ kind, metadata, ...given });
  const cache: ObjectCache<ManagedObject> = caches.of(kind);
  cache.wrote(object);
  if (windows !== undefined) {
    const rules = { [namespaceAnnotations.changeWindows]: windows };
    const shop = { name: 'shop', uid: 'uid', resourceVersion: '1', annotations: rules };
    caches.namespaces[0]?.wrote(namespaceMetadata.parse({ metadata: shop }));
  }
  caches.ledger.entries.wrote(
    ledgerEntry({
      ...noResource,
      ...record,
      object: { kind, namespace: 'shop', name: 'orders', uid: 'uid' },
    }),
  );
  return async (remembered: Remembered): Promise<Situation> => {
    const view: View = {
      kubernetes: { get: () => Promise.resolve(undefined) },
      caches,
      compared: { find: () => undefined, add() {} },
      definitionOf: () => Promise.resolve(undefined),
      accounts: { of: () => Promise.resolve({ state: 'usable', account, secret: undefined }) },
      claims,
      memory: { known: () => remembered },
      evidence: { lostBy: () => undefined },
      clock,
      options: defaultOptions,
      database: { user: 'u', name: 'n' },
      clusterUid: 'cluster',
    };
    const reconciler: KindReconciler<Situation> = reconcilers[kind];
    const observation = await reconciler.observe(keyOf(object), view);
    if (!observation) throw new Error('the object is there');
    return reconciler.situationOf(observation.facts);
  };
}

const noResource = { id: undefined, projectId: undefined, outcome: undefined };

function refuse(): never {
  throw new Error('whoever looks changes nothing');
}

/** Throws when something in it is changed. */
function frozen(remembered: Remembered): Remembered {
  for (const map of [remembered.refusals, remembered.firstSeen])
    Object.assign(map, { set: refuse, delete: refuse, clear: refuse });
  return Object.freeze(remembered);
}
