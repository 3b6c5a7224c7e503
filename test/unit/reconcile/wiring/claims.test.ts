import { expect, test } from 'vitest';
import { claimTable } from '../../../../src/reconcile/wiring/claims.ts';
import type { ResourceRecord } from '../../../../src/resources/ledger-entry.ts';
import type { ManagedObject } from '../../../../src/resources/managed-object.ts';
import { managedVpcs } from '../../../../src/resources/managed-vpc.ts';
import { handClock } from '../../../support/hand-clock.ts';
import { ledgerCache } from '../../../support/ledger-cache.ts';
import { entryFor } from '../../../support/ledger-entry.ts';
import { serviceObject } from '../../../support/situation.ts';

/**
 * The owner of each resource, and the resources that the lists of the cloud should show, according to the ledger
 * entries.
 */

const clock = handClock();
let version = 1;

const named = (name: string) => serviceObject({}, {}, { metadata: { name, uid: name } });

/** A ledger that had the service `first` when this process began. */
function ledger() {
  const caches = ledgerCache(
    [named('first')],
    [entryFor(named('first'), { projectId: 'prj1', id: 'before' })],
  );
  const write = (object: ManagedObject, record: ResourceRecord) => {
    version += 1;
    caches.ledger.entries.wrote(entryFor(object, { projectId: 'prj1', ...record }, `${version}`));
  };
  return {
    caches,
    claims: claimTable(caches, clock),
    /** The entry of a service, and the service itself unless it is gone. */
    put: (name: string, record: ResourceRecord, isGone = false) => {
      if (!isGone) caches.of('ManagedService').wrote(named(name));
      write(named(name), record);
    },
    write,
  };
}

const attempt = {
  id: 'create-1',
  at: '2026-11-21T09:00:00Z',
  request: { name: 'orders-create', sourceId: 'src' },
  sameNameIds: ['old'],
};

test.each<[string, (world: ReturnType<typeof ledger>) => void, readonly string[]]>([
  ['the object of its entry owns a resource', ({ put }) => put('a', { id: 'x' }), ['a']],
  ['an object that is gone owns nothing', ({ put }) => put('a', { id: 'x' }, true), []],
  [
    'an object of another uid under the same name owns nothing',
    ({ put, caches }) => {
      put('a', { id: 'x' }, true);
      caches
        .of('ManagedService')
        .wrote(serviceObject({}, {}, { metadata: { name: 'a', uid: 'later' } }));
    },
    [],
  ],
  [
    'an entry that names another resource by now claims the first one no more',
    ({ put }) => {
      put('a', { id: 'x' });
      put('a', { id: 'y' });
    },
    [],
  ],
  [
    'two entries about one resource are two claims',
    ({ put }) => {
      put('b', { id: 'x' });
      put('a', { id: 'x' });
    },
    ['a', 'b'],
  ],
])('%s', (_, arrange, owners) => {
  const world = ledger();
  arrange(world);
  expect(world.claims.claimantsOf('ManagedService', 'prj1', 'x').map(({ uid }) => uid)).toEqual(
    owners,
  );
  expect(world.claims.ownerOf('ManagedService', 'prj1', 'x')?.uid).toBe(owners[0]);
});

test('lists may lack a new resource for ten seconds, and no resource from before the start of the process', () => {
  const { put, claims } = ledger();
  const expected = () => [...claims.expectedIds('ManagedService', 'prj1')].toSorted();
  put('second', { id: 'made' });
  expect(expected()).toEqual(['before']);
  clock.pass(9_999);
  put('second', { id: 'made', outcome: 'created' });
  expect(expected()).toEqual(['before']);
  clock.pass(1);
  expect(expected()).toEqual(['before', 'made']);
});

test.each<[string, ResourceRecord, boolean, readonly string[]]>([
  ['of a living object is expected', { id: 'x' }, false, ['before', 'x']],
  ['that a create is to replace is not expected', { id: 'x', attempt }, false, ['before']],
  ['of an object that is gone is not expected', { id: 'x' }, true, ['before']],
])('a resource %s in a list', (_, record, isGone, ids) => {
  const { put, claims } = ledger();
  put('a', record, isGone);
  clock.pass(10_000);
  expect([...claims.expectedIds('ManagedService', 'prj1')]).toEqual(ids);
});

test('the list of the peerings of a VPC should show those that were made for it, as long as its entry has them', () => {
  const { caches, claims, write } = ledger();
  const vpc = managedVpcs.parse({
    metadata: { name: 'prod', namespace: 'shop', uid: 'v', resourceVersion: '1' },
    spec: { cidr: '10.0.0.0/16', regionCode: 'eu-central-1' },
  });
  const expected = () => [...claims.expectedIds('peering', 'prj1', 'vpc-1')];
  caches.of('ManagedVpc').wrote(vpc);
  write(vpc, {
    id: 'vpc-1',
    peerings: { x: { id: 'p1' }, y: { pendingSince: '2026-01-01T00:00:00Z' } },
  });
  expect(expected()).toEqual(['p1']);
  write(vpc, { id: 'vpc-1', peerings: {} });
  expect(expected()).toEqual([]);
});

test.each(['2020-01-01T00:00:00Z', '2026-11-21T09:00:00Z', '2090-01-01T00:00:00Z'])(
  'a create that was begun at %s holds its parent resource for ten minutes after the first look of the process',
  (at) => {
    const { put, claims } = ledger();
    const on = () => claims.holdersOf('src').map(({ uid }) => uid);
    put('drill', { attempt: { ...attempt, at } });
    clock.pass(599_999);
    expect(on()).toEqual(['drill']);
    // Another change of the entry does not restart the period.
    put('drill', { attempt: { ...attempt, at }, outcome: 'created' });
    clock.pass(1);
    expect(on()).toEqual([]);
    put('drill', { attempt: { ...attempt, at, id: 'create-2' } });
    expect(on()).toEqual(['drill']);
  },
);

const ready = { id: 'drill-1', wasReady: true };
const lost = {
  type: 'Synced',
  status: 'False',
  reason: 'Lost',
  message: 'gone',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

test.each<[string, ResourceRecord, object, boolean, readonly string[]]>([
  [
    'replica set of a living object',
    { id: 'drill-1', parentServiceId: 'src' },
    {},
    false,
    ['drill'],
  ],
  [
    'replica set of an object that is gone',
    { id: 'drill-1', parentServiceId: 'src' },
    {},
    true,
    [],
  ],
  [
    'replica set that is Lost',
    { id: 'drill-1', parentServiceId: 'src' },
    { conditions: [lost] },
    false,
    [],
  ],
  ['replica set of another service', { id: 'drill-1', parentServiceId: 'else' }, {}, false, []],
  [
    'fork that was never READY',
    { id: 'drill-1', forkSourceId: 'src' },
    { id: 'drill-1' },
    false,
    ['drill'],
  ],
  ['fork that was READY', { id: 'drill-1', forkSourceId: 'src' }, ready, false, []],
  [
    'fork in place of a fork that was READY',
    { id: 'drill-2', forkSourceId: 'src' },
    ready,
    false,
    ['drill'],
  ],
])(
  'a %s holds its resource without a limit of time, or not',
  (_, record, status, isGone, holders) => {
    const { caches, claims, write } = ledger();
    const drill = serviceObject({}, {}, { metadata: { name: 'drill', uid: 'drill' }, status });
    if (!isGone) caches.of('ManagedService').wrote(drill);
    write(drill, record);
    clock.pass(3_600_000);
    expect(claims.holdersOf('src').map(({ uid }) => uid)).toEqual(holders);
  },
);

const asFork = { fork: { serviceRef: { name: 'first' }, strategy: 'NOW' } };

interface MoreOfFork {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly metadata?: object;
  readonly status?: object;
}

test.each<[string, object, MoreOfFork, ResourceRecord | undefined, readonly string[]]>([
  ['that no request was sent for holds', asFork, {}, undefined, ['drill']],
  ['that a user suspended holds', { ...asFork, suspend: true }, {}, undefined, ['drill']],
  ['with an entry without a resource holds', asFork, {}, {}, ['drill']],
  ['that was made and READY does not hold', asFork, { status: ready }, { id: 'drill-1' }, []],
  ['in deletion does not hold', asFork, { metadata: { deletionTimestamp: 'now' } }, undefined, []],
  [
    'that adopts a service does not hold',
    asFork,
    { annotations: { 'managed-db.io/external-id': 'x' } },
    undefined,
    [],
  ],
  [
    'that is only observed does not hold',
    { ...asFork, managementPolicy: 'Observe' },
    {},
    undefined,
    [],
  ],
  ['of no service does not hold', {}, {}, undefined, []],
  [
    'of another service does not hold',
    { fork: { serviceRef: { name: 'else' }, strategy: 'NOW' } },
    {},
    undefined,
    [],
  ],
])('an object of a fork %s its source', (_, spec, more, record, holders) => {
  const { caches, claims, write } = ledger();
  const drill = serviceObject(more.annotations, spec, {
    metadata: { name: 'drill', uid: 'drill', ...more.metadata },
    status: more.status,
  });
  caches.of('ManagedService').wrote(drill);
  if (record) write(drill, record);
  expect(claims.holdersOf('before').map(({ uid }) => uid)).toEqual(holders);
});

test('a create of a deleted object still holds its resource', () => {
  const { put, claims } = ledger();
  put('drill', { attempt }, true);
  expect(claims.holdersOf('src').map(({ uid }) => uid)).toEqual(['drill']);
});

test.each([
  ['of this name', 'ManagedService', 'prj1', { id: 'new', name: 'orders-create' }, 'b'],
  [
    'of this name, which had it before',
    'ManagedService',
    'prj1',
    { id: 'old', name: 'orders-create' },
    undefined,
  ],
  ['of another name', 'ManagedService', 'prj1', { id: 'new', name: 'orders' }, undefined],
  ['in another project', 'ManagedService', 'prj2', { id: 'new', name: 'orders-create' }, undefined],
  ['of another kind', 'ManagedVpc', 'prj1', { id: 'new', name: 'orders-create' }, undefined],
] as const)('who is just making a resource %s', (_, kind, projectId, resource, uid) => {
  const { put, claims } = ledger();
  put('b', { attempt });
  expect(claims.openCreateOf(kind, projectId, resource)?.uid).toBe(uid);
});
