import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { claimOf } from '../../../src/reconcile/observe/claim.ts';
import { claimTable, undecidedAmong } from '../../../src/reconcile/process/claims.ts';
import { recordIn } from '../../../src/reconcile/record/record.ts';
import { identityOf } from '../../../src/reconcile/situation/identity.ts';
import { managedServices, type ManagedService } from '../../../src/resources/managed-service.ts';
import { managedVpcs, type ManagedVpc } from '../../../src/resources/managed-vpc.ts';
import { objectCache } from '../../../src/runtime/index.ts';
import { defaultOptions } from '../../support/default-options.ts';
import { handClock } from '../../support/hand-clock.ts';
import { serviceObject } from '../../support/situation.ts';

let version = 0;
const clock = handClock();

function claiming(name: string, uid: string, record: object): ManagedService {
  version += 1;
  const annotations = { 'managed-db.io/record': JSON.stringify({ id: 'k2m9q1zx4w', projectId: 'prj1', ...record }) };
  const metadata = { name, namespace: 'shop', uid, resourceVersion: String(version), annotations };
  return managedServices.parse({ apiVersion: 'managed-db.io/v1alpha1', kind: 'ManagedService', metadata, spec: {} });
}

function table() {
  const cache = objectCache<ManagedService>([undefined]);
  return { cache, claims: claimTable([cache], clock) };
}

const owner = (claims: ReturnType<typeof table>['claims']) => claims.ownerOf('ManagedService', 'prj1', 'k2m9q1zx4w')?.uid;

test('the earliest record owns, in whatever order the objects come', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(['1', '2', '3', '4'], { minLength: 4 }), (order) => {
      const { cache, claims } = table();
      // The uids go the other way round: they decide nothing.
      for (const n of order) {
        const uid = `uid${9 - Number(n)}`;
        cache.apply(claiming(`s${n}`, uid, { objectUid: uid, claimedAt: `2026-11-0${n}T00:00:00Z` }));
      }
      expect(owner(claims)).toBe('uid8');
    }),
  );
});

test('a copy of a record never owns before the original, however early it says to be', () => {
  const { cache, claims } = table();
  cache.apply(claiming('copy', 'a', { objectUid: 'b', claimedAt: '2020-01-01T00:00:00Z' }));
  expect(owner(claims)).toBe('a');
  cache.apply(claiming('original', 'b', { objectUid: 'b', claimedAt: '2026-01-01T00:00:00Z' }));
  expect(owner(claims)).toBe('b');
});

test('lists may lack for ten seconds what another process made, and not what it had before', () => {
  const cache = objectCache<ManagedService>([undefined]);
  const expected = (isOthers: boolean) => {
    const claims = claimTable([cache], clock, () => isOthers);
    return () => [...claims.expectedIds('ManagedService', 'prj1')].toSorted();
  };
  const [ofOthers, own] = [expected(true), expected(false)];
  cache.replace(undefined, [claiming('first', 'a', { id: 'before' })], String(version));
  cache.apply(claiming('second', 'b', { id: 'made' }));
  expect([ofOthers(), own()]).toEqual([['before'], ['before', 'made']]);
  clock.pass(9_999);
  cache.apply(claiming('second', 'b', { id: 'made', claimedAt: '2026-01-01T00:00:00Z' }));
  expect(ofOthers()).toEqual(['before']);
  clock.pass(1);
  expect(ofOthers()).toEqual(['before', 'made']);
});

test('an object that is gone, or has another record, owns no more', () => {
  const { cache, claims } = table();
  const first = claiming('first', 'a', { objectUid: 'a', claimedAt: '2026-01-01T00:00:00Z' });
  cache.apply(first);
  cache.apply(claiming('second', 'b', { objectUid: 'b', claimedAt: '2026-02-01T00:00:00Z' }));
  cache.apply(claiming('first', 'a', { id: 'other', objectUid: 'a', claimedAt: '2026-01-01T00:00:00Z' }));
  expect(owner(claims)).toBe('b');
  expect([...claims.expectedIds('ManagedService', 'prj1')].toSorted()).toEqual(['k2m9q1zx4w', 'other']);
});

const claimingVpc = (uid: string, record: object) =>
  managedVpcs.parse({ ...claiming(uid, uid, { objectUid: 'a', ...record }), kind: 'ManagedVpc' });

test('the list of the peerings of a VPC should show those that were made for its owner, as long as its record has them', () => {
  const cache = objectCache<ManagedVpc>([undefined]);
  const claims = claimTable([cache], clock);
  const expected = () => [...claims.expectedIds('peering', 'prj1', 'k2m9q1zx4w')];
  cache.apply(claimingVpc('a', { peerings: { x: { id: 'p1' }, y: { pendingSince: '2026-01-01T00:00:00Z', before: ['p0'] } } }));
  expect(expected()).toEqual(['p1']);
  cache.apply(claimingVpc('copy', { peerings: { x: { id: 'p1' }, z: { id: 'made up' } } }));
  expect(expected(), 'a copy may name any: it keeps nobody waiting').toEqual(['p1']);
  cache.apply(claimingVpc('a', { peerings: {} }));
  expect(expected()).toEqual([]);
});

test('where the record of the owner is not taken back yet, its status tells the peerings', () => {
  const cache = objectCache<ManagedVpc>([undefined]);
  const claims = claimTable([cache], clock);
  const shown = { id: 'p1', managed: true, peerAccountId: '1', peerRegionCode: 'eu', peerVpcId: 'a' };
  const { metadata } = claimingVpc('a', {});
  const status = { id: 'k2m9q1zx4w', projectId: 'prj1', peerings: [shown, { ...shown, id: 'p2', managed: false, peerVpcId: 'b' }] };
  cache.apply(managedVpcs.parse({ metadata: { ...metadata, annotations: {} }, spec: {}, status }));
  expect([...claims.expectedIds('peering', 'prj1', 'k2m9q1zx4w')]).toEqual(['p1']);
});

test('a record without a project claims its resource in the project of status', () => {
  const { cache, claims } = table();
  const { metadata } = claiming('s', 'a', { projectId: undefined });
  cache.apply(managedServices.parse({ metadata, spec: {}, status: { id: 'k2m9q1zx4w', projectId: 'prj1' } }));
  expect(owner(claims)).toBe('a');
});

const undecided = (claims: ReturnType<typeof table>['claims']) =>
  undecidedAmong(claims.claimantsOf('ManagedService', 'prj1', 'k2m9q1zx4w')).map(({ uid }) => uid);

test('of a restored object and its restored copy nobody owns before one of them is the original', () => {
  const { cache, claims } = table();
  const claimedAt = '2026-01-01T00:00:00Z';
  cache.apply(claiming('orders', 'b', { objectUid: 'gone', claimedAt }));
  expect(undecided(claims)).toEqual([]);
  cache.apply(claiming('copy', 'a', { objectUid: 'gone', claimedAt }));
  cache.apply(claiming('late', 'c', { objectUid: 'gone', claimedAt: '2026-02-01T00:00:00Z' }));
  expect(undecided(claims)).toEqual(['a', 'b']);
  cache.apply(claiming('orders', 'b', { objectUid: 'b', claimedAt }));
  expect([undecided(claims), owner(claims)]).toEqual([[], 'b']);
});

test('an id that status knows is claimed, also where an old record has an open create', () => {
  const { cache, claims } = table();
  const attempt = { id: 'old', at: '2026-11-21T09:00:00Z', request: {}, sameNameIds: [] };
  const object = claiming('orders', 'a', { id: undefined, attempt });
  cache.apply({ ...object, status: { id: 'k2m9q1zx4w', projectId: 'prj1' } });
  expect(owner(claims)).toBe('a');
});

const opened = {
  id: undefined,
  attempt: { id: 'create-1', at: '2026-11-21T09:00:00Z', request: { name: 'orders-create' }, sameNameIds: [] },
};
const forking = (more: object = {}) => ({
  ...opened,
  attempt: { ...opened.attempt, request: { sourceId: 'src', name: 'orders-create' }, ...more },
});

test.each(['2020-01-01T00:00:00Z', '2026-11-21T09:00:00Z', '2090-01-01T00:00:00Z'])(
  'a create on a resource that was begun at %s holds it for ten minutes since this process first saw it',
  (at) => {
    const { cache, claims } = table();
    const on = () => claims.openCreatesOn('src').map(({ metadata }) => metadata.uid);
    cache.apply(claiming('drill', 'a', forking({ at })));
    clock.pass(599_999);
    expect(on()).toEqual(['a']);
    // What else is written to the object begins no new time.
    cache.apply(claiming('drill', 'a', { ...forking({ at }), outcome: 'created' }));
    clock.pass(1);
    expect(on()).toEqual([]);
    cache.apply(claiming('drill', 'a', forking({ at, id: 'create-2' })));
    expect(on()).toEqual(['a']);
  },
);

const begunBy = (claims: ReturnType<typeof table>['claims']) => claims.claimantsOfCreate('create-1').map(({ uid }) => uid);

test('an open create belongs to the object that began it, however its copies are called', () => {
  const { cache, claims } = table();
  cache.apply(claiming('copy', 'a', { ...opened, objectUid: 'b' }));
  cache.apply(claiming('original', 'b', { ...opened, objectUid: 'b' }));
  expect(begunBy(claims)).toEqual(['b', 'a']);
});

test('a create that is done belongs to the object that has what it made, before all copies of the open record', () => {
  const { cache, claims } = table();
  cache.apply(claiming('copy', 'a', { ...opened, objectUid: 'b' }));
  cache.apply(claiming('original', 'b', { createdBy: 'create-1', objectUid: 'b', claimedAt: '2026-11-21T09:01:00Z' }));
  expect(begunBy(claims)).toEqual(['b', 'a']);
});

test('nobody knows which of two copies of an open record counts, once the original is gone', () => {
  const { cache, claims } = table();
  for (const uid of ['a', 'c']) cache.apply(claiming(uid, uid, { ...opened, objectUid: 'b' }));
  expect(undecidedAmong(claims.claimantsOfCreate('create-1')).map(({ uid }) => uid)).toEqual(['a', 'c']);
});

test('a copy that has become an original, and has what the create made, keeps it', () => {
  const { cache, claims } = table();
  cache.apply(claiming('original', 'a', { ...opened, objectUid: 'a' }));
  cache.apply(claiming('copy', 'b', { createdBy: 'create-1', objectUid: 'b', claimedAt: '2026-11-21T09:01:00Z' }));
  expect(begunBy(claims)).toEqual(['b', 'a']);
  cache.apply(claiming('original', 'a', { createdBy: 'create-1', objectUid: 'a', claimedAt: '2026-11-21T09:02:00Z' }));
  expect(begunBy(claims)).toEqual(['b', 'a']);
});

test('a create that was refused is no claim', () => {
  const { cache, claims } = table();
  const refusal = { attempt: 'create-1', failures: 1, at: '2026-11-21T09:00:00Z', message: 'no' };
  cache.apply({ ...claiming('original', 'a', { ...opened, objectUid: 'a' }), status: { refusal } });
  cache.apply(claiming('copy', 'b', { ...opened, objectUid: 'a' }));
  expect(begunBy(claims)).toEqual(['b']);
});

test.each([
  ['of this name', 'ManagedService', 'prj1', { id: 'new', name: 'orders-create' }, 'b'],
  ['of this name, which had it before', 'ManagedService', 'prj1', { id: 'old', name: 'orders-create' }, undefined],
  ['of another name', 'ManagedService', 'prj1', { id: 'new', name: 'orders' }, undefined],
  ['in another project', 'ManagedService', 'prj2', { id: 'new', name: 'orders-create' }, undefined],
  ['of another kind', 'ManagedVpc', 'prj1', { id: 'new', name: 'orders-create' }, undefined],
] as const)('who is just making a resource %s', (_, kind, projectId, resource, uid) => {
  const { cache, claims } = table();
  cache.apply(claiming('original', 'b', { ...opened, attempt: { ...opened.attempt, sameNameIds: ['old'] }, objectUid: 'b' }));
  expect(claims.openCreateOf(kind, projectId, resource)?.uid).toBe(uid);
});

test('a create that was refused makes nothing', () => {
  const { cache, claims } = table();
  const refusal = { attempt: 'create-1', failures: 1, at: '2026-11-21T09:00:00Z', message: 'no' };
  cache.apply({ ...claiming('original', 'b', { ...opened, objectUid: 'b' }), status: { refusal } });
  expect(claims.openCreateOf('ManagedService', 'prj1', { id: 'new', name: 'orders-create' })).toBeUndefined();
});

const claimOn = (object: ManagedService, claims: ReturnType<typeof table>['claims']) => {
  const read = recordIn(object);
  const identity = identityOf({ state: 'read', record: read }, object);
  return claimOf(object, { identity, record: read, idInLedger: undefined }, 'cluster', defaultOptions, claims).state;
};

test.each([
  ['a first create', opened],
  ['a recreation', { ...opened, id: 'k2m9q1zx4w' }],
])('an object whose create was refused (%s) does not yield to a copy of its record', (_, record) => {
  const { cache, claims } = table();
  const refusal = { attempt: 'create-1', failures: 1, at: '2026-11-21T09:00:00Z', message: 'no' };
  const original = { ...claiming('original', 'a', { ...record, objectUid: 'a' }), status: { refusal } };
  const copy = claiming('copy', 'b', { ...record, objectUid: 'a' });
  cache.apply(original);
  cache.apply(copy);
  expect(claimOn(original, claims)).toBe('ours');
});

const here = { clusterUid: 'cluster' };
const there = { clusterUid: 'production' };

test.each([
  ['of a record of another cluster', { id: 'svc-1', ...there }, {}, 'elsewhere'],
  ['of a record of this cluster, though status is of another one', { id: 'svc-1', ...here }, there, 'ours'],
  ['whose record got lost, and whose status is of another cluster', undefined, there, 'elsewhere'],
  ['whose record got lost, and whose status is of this cluster', undefined, here, 'ours'],
  ['whose record got lost, and whose status has no cluster', undefined, {}, 'ours'],
  ['whose record has a refused create of this cluster alone, and whose status is of another one', here, there, 'elsewhere'],
])('an object %s', (_, record, status, expected) => {
  const annotations = record === undefined ? {} : { 'managed-db.io/record': JSON.stringify({ projectId: 'prj1', ...record }) };
  const object = serviceObject(annotations, {}, { status: { id: 'svc-1', projectId: 'prj1', ...status } });
  const identity = { state: 'known', id: 'svc-1', projectId: 'prj1', by: record && 'id' in record ? 'record' : 'status' } as const;
  expect(
    claimOf(object, { identity, record: recordIn(object), idInLedger: undefined }, 'cluster', defaultOptions, table().claims).state,
  ).toBe(expected);
});

test('the ledger entry of an object counts before a copy of its record, also while the object has lost the record', () => {
  const { cache, claims } = table();
  cache.apply(claiming('copy', 'b', { id: 'svc-1', objectUid: 'a', createdBy: 'create-1' }));
  const original = serviceObject({}, {}, { metadata: { uid: 'a' } });
  const known = { identity: { state: 'known', id: 'svc-1', projectId: 'prj1', by: 'ledger' }, record: { createdBy: 'create-1' } } as const;
  const claimed = (idInLedger: string | undefined) => claimOf(original, { ...known, idInLedger }, 'cluster', defaultOptions, claims).state;
  expect([claimed(undefined), claimed('svc-2'), claimed('svc-1')]).toEqual(['another', 'another', 'ours']);
});
