import { expect, test } from 'vitest';
import type { Condition } from '../../../src/resources/condition.ts';
import type { LedgerEntry } from '../../../src/resources/ledger-entry.ts';
import type { ManagedObject } from '../../../src/resources/managed-object.ts';
import { managedServices } from '../../../src/resources/managed-service.ts';
import { managedVpcs } from '../../../src/resources/managed-vpc.ts';
import { unsyncedMs } from '../../../src/operator/metrics/object-figures.ts';
import { ledgerCache } from '../../support/ledger-cache.ts';
import { entryFor, ledgerEntry, unreadableEntry } from '../../support/ledger-entry.ts';
import { acting, scrape } from '../../support/metric-sources.ts';
import { serviceObject } from '../../support/situation.ts';

const at = '2026-01-01T00:00:00.000Z';
const service = { kind: 'ManagedService', environment: '' };

function metadataOf(name: string) {
  return { name, namespace: 'shop', uid: name, resourceVersion: '1' };
}

function conditions(
  ...each: readonly (readonly [type: string, status: Condition['status'], reason: string])[]
) {
  return {
    conditions: each.map(([type, status, reason]) => ({
      type,
      status,
      reason,
      message: '',
      lastTransitionTime: at,
    })),
  };
}

function plain(name: string) {
  return managedServices.parse({ metadata: metadataOf(name), spec: {} });
}

/** A ledger entry with an open create. @param since milliseconds since the epoch */
function openCreate(object: ManagedObject, since: number): LedgerEntry {
  return entryFor(object, {
    attempt: { id: 'create-1', at: new Date(since).toISOString(), request: {}, sameNameIds: [] },
  });
}

/** The samples that are not 0. */
function positive(samples: readonly (readonly [labels: object, value: number])[]) {
  return samples.filter(([, value]) => value !== 0);
}

test('objects are counted by kind, Ready and reason, and the lost and the stalled objects of each kind apart, even if there are none', async () => {
  const ready = conditions(['Ready', 'True', 'Available'], ['Synced', 'True', 'Available']);
  const lost = conditions(
    ['Ready', 'False', 'Lost'],
    ['Synced', 'False', 'Lost'],
    ['Stalled', 'True', 'Lost'],
  );
  const rejected = conditions(
    ['Ready', 'False', 'Rejected'],
    ['Synced', 'False', 'Rejected'],
    ['Stalled', 'True', 'Rejected'],
  );
  const creating = conditions(
    ['Ready', 'False', 'Creating'],
    ['Synced', 'False', 'Creating'],
    ['Reconciling', 'True', 'Creating'],
  );
  const samples = await scrape({
    caches: ledgerCache([
      managedVpcs.parse({ metadata: metadataOf('net'), spec: {}, status: ready }),
      managedServices.parse({ metadata: metadataOf('a'), spec: {}, status: ready }),
      managedServices.parse({ metadata: metadataOf('b'), spec: {}, status: ready }),
      managedServices.parse({ metadata: metadataOf('c'), spec: {}, status: lost }),
      managedServices.parse({ metadata: metadataOf('d'), spec: {}, status: rejected }),
      managedServices.parse({ metadata: metadataOf('e'), spec: {}, status: creating }),
      plain('f'),
    ]),
  });
  expect(samples('managed_db_objects')).toEqual([
    [{ kind: 'ManagedVpc', ready: 'True', reason: 'Available', environment: '' }, 1],
    [{ ...service, ready: 'True', reason: 'Available' }, 2],
    [{ ...service, ready: 'False', reason: 'Lost' }, 1],
    [{ ...service, ready: 'False', reason: 'Rejected' }, 1],
    [{ ...service, ready: 'False', reason: 'Creating' }, 1],
    [{ ...service, ready: 'Unknown', reason: 'Pending' }, 1],
  ]);
  expect(samples('managed_db_watched_objects')).toEqual([
    [{ kind: 'ManagedVpc' }, 1],
    [{ kind: 'ManagedService' }, 6],
    [{ kind: 'ReplicaSet' }, 0],
  ]);
  const none = ['ManagedVpc', 'ManagedService', 'ReplicaSet'].flatMap((kind) =>
    ['DEV', 'PROD', ''].map((environment) => [{ kind, environment }, 0]),
  );
  expect(samples('managed_db_open_creates')).toEqual(none);
  expect(samples('managed_db_oldest_open_create_age_seconds')).toEqual(none);
  expect(samples('managed_db_lost_objects')).toHaveLength(none.length);
  expect(positive(samples('managed_db_lost_objects'))).toEqual([[service, 1]]);
  expect(samples('managed_db_stalled_objects')).toHaveLength(none.length);
  expect(positive(samples('managed_db_stalled_objects'))).toEqual([[service, 2]]);
});

test('an object of a second process is counted as watched and in no other metric', async () => {
  const lost = conditions(
    ['Ready', 'False', 'Lost'],
    ['Synced', 'False', 'Lost'],
    ['Stalled', 'True', 'Lost'],
  );
  const theirs = managedServices.parse({ metadata: metadataOf('theirs'), spec: {}, status: lost });
  const samples = await scrape({
    caches: ledgerCache([plain('ours'), theirs], [openCreate(theirs, 0)]),
    runtime: { ...acting, shard: { isOurs: (object) => object?.metadata.name === 'ours' } },
    clock: { now: () => 1_000 },
  });
  expect(samples('managed_db_objects')).toEqual([
    [{ ...service, ready: 'Unknown', reason: 'Pending' }, 1],
  ]);
  expect(positive(samples('managed_db_watched_objects'))).toEqual([
    [{ kind: 'ManagedService' }, 2],
  ]);
  for (const name of [
    'lost_objects',
    'stalled_objects',
    'open_creates',
    'oldest_open_create_age_seconds',
  ])
    expect(positive(samples(`managed_db_${name}`))).toEqual([]);
});

test.each([
  [6_000, [[service, 5]]],
  [500, []],
])(
  'at %d ms open creates are counted, and the age of the oldest is shown, which is never negative',
  async (now, oldest) => {
    const [a, b] = [plain('a'), plain('b')];
    const entries = [openCreate(a, 1_000), openCreate(b, 5_000)];
    const samples = await scrape({
      caches: ledgerCache([a, b, plain('c')], entries),
      clock: { now: () => now },
    });
    expect(positive(samples('managed_db_open_creates'))).toEqual([[service, 2]]);
    expect(positive(samples('managed_db_oldest_open_create_age_seconds'))).toEqual(oldest);
  },
);

test('the oldest object whose spec is not applied is exposed for each reason, without objects that are left on purpose', async () => {
  const waiting = (name: string, reason: string, since: string, beside = 'Reconciling') => {
    const status = conditions(
      ['Ready', 'False', reason],
      ['Synced', 'False', reason],
      [beside, 'True', reason],
    );
    return managedServices.parse({
      metadata: metadataOf(name),
      spec: { environment: 'PROD' },
      status: {
        conditions: status.conditions.map((each) => ({ ...each, lastTransitionTime: since })),
      },
    });
  };
  const samples = await scrape({
    caches: ledgerCache([
      waiting('a', 'Creating', '2026-01-01T00:00:00.000Z'),
      waiting('b', 'Creating', '2026-01-01T00:01:00.000Z'),
      waiting('c', 'Lost', '2026-01-01T00:01:30.000Z', 'Stalled'),
      waiting('d', 'Stopped', '2026-01-01T00:00:00.000Z', 'Other'),
      managedServices.parse({
        metadata: { ...metadataOf('e'), creationTimestamp: '2026-01-01T00:01:40.000Z' },
        spec: {},
      }),
    ]),
    clock: { now: () => Date.parse('2026-01-01T00:02:00.000Z') },
  });
  const production = { kind: 'ManagedService', environment: 'PROD' };
  expect(samples('managed_db_oldest_unsynced_age_seconds')).toEqual([
    [{ ...production, reason: 'Creating' }, 120],
    [{ ...production, reason: 'Lost' }, 30],
    [{ ...service, reason: 'Pending' }, 20],
  ]);
  expect(positive(samples('managed_db_lost_objects'))).toEqual([[production, 1]]);
  expect(samples('managed_db_objects')).toContainEqual([
    { ...production, ready: 'False', reason: 'Creating' },
    2,
  ]);
});

function working(reason: string, more: object) {
  return { ...conditions(['Synced', 'False', reason], ['Reconciling', 'True', reason]), ...more };
}

test('the age of a waiting object counts from its last progress, and a further try is no progress', async () => {
  const long = '2026-01-01T00:00:00.000Z';
  const object = (name: string, more: object, statusOf: object) =>
    managedServices.parse({
      metadata: { ...metadataOf(name), creationTimestamp: long, ...more },
      spec: {},
      status: statusOf,
    });
  const lastOperation = { operation: 'resizeService', wanted: '', at: '2026-01-09T23:58:00.000Z' };
  const resolving = object('d', {}, working('ResolvingCreate', {}));
  const samples = await scrape({
    caches: ledgerCache(
      [
        object('a', {}, working('Creating', { stateSince: '2026-01-09T23:59:00.000Z' })),
        object('b', {}, working('Resizing', { stateSince: long, lastOperation })),
        object('c', { deletionTimestamp: '2026-01-09T23:57:00.000Z' }, working('Deleting', {})),
        resolving,
        object('e', {}, working('WaitingForReference', {})),
      ],
      [openCreate(resolving, Date.parse('2026-01-09T23:56:00.000Z'))],
    ),
    clock: { now: () => Date.parse('2026-01-10T00:00:00.000Z') },
  });
  expect(samples('managed_db_oldest_unsynced_age_seconds')).toEqual([
    [{ ...service, reason: 'Creating' }, 60],
    [{ ...service, reason: 'Resizing' }, 120],
    [{ ...service, reason: 'Deleting' }, 180],
    [{ ...service, reason: 'ResolvingCreate' }, 9 * 86_400],
    [{ ...service, reason: 'WaitingForReference' }, 9 * 86_400],
  ]);
});

/** An object with held changes: for each its kind of wait, and the minutes since when it waits. */
function heldObject(
  name: string,
  reason: string,
  ...waits: readonly (readonly ['Window' | 'Approval', number])[]
) {
  const now = Date.parse('2026-01-10T00:00:00.000Z');
  const heldChanges = waits.map(([waitsFor, minutes]) => ({
    operation: 'resizeService',
    change: '1000m/4GB -> 2000m/8GB',
    waitsFor,
    since: new Date(now - minutes * 60_000).toISOString(),
  }));
  const status = conditions(['Ready', 'True', 'Available'], ['Synced', 'False', reason]);
  return managedServices.parse({
    metadata: { ...metadataOf(name), creationTimestamp: at },
    spec: { environment: 'PROD' },
    status: { ...status, heldChanges },
  });
}

test('the oldest held change is exposed by the wait, and a held object does not count as unsynced', async () => {
  const samples = await scrape({
    caches: ledgerCache([
      heldObject('a', 'WaitingForWindow', ['Window', 3]),
      heldObject('b', 'WaitingForApproval', ['Window', 4], ['Approval', 2]),
      heldObject('c', 'WaitingForApproval', ['Approval', 1]),
      heldObject('d', 'SecretConflict', ['Window', 5]),
      // A stopped service makes no change, also while a window is open.
      heldObject('e', 'Stopped', ['Window', 6]),
      plain('f'),
    ]),
    clock: { now: () => Date.parse('2026-01-10T00:00:00.000Z') },
  });
  const production = { kind: 'ManagedService', environment: 'PROD' };
  expect(samples('managed_db_oldest_held_change_age_seconds')).toEqual([
    [{ ...production, reason: 'WaitingForWindow' }, 300],
    [{ ...production, reason: 'WaitingForApproval' }, 120],
  ]);
  expect(samples('managed_db_oldest_unsynced_age_seconds')).toEqual([
    [{ ...service, reason: 'Pending' }, 0],
  ]);
});

test('the time until a spec is applied does not include the days for which a change was held', () => {
  const status = {
    conditions: conditions(
      ['Synced', 'False', 'Resizing'],
      ['Reconciling', 'True', 'Resizing'],
    ).conditions.map((each) =>
      each.type === 'Reconciling'
        ? { ...each, lastTransitionTime: '2026-01-09T23:59:00.000Z' }
        : each,
    ),
  };
  const object = managedServices.parse({ metadata: metadataOf('a'), spec: {}, status });
  expect(unsyncedMs(object, Date.parse('2026-01-10T00:00:00.000Z'))).toBe(60_000);
});

const orders = { kind: 'ManagedService', namespace: 'shop', name: 'orders' };
const labelled = {
  ...unreadableEntry,
  metadata: { ...unreadableEntry.metadata, labels: { 'managed-db.io/kind': 'ManagedVpc' } },
};

test.each([
  [
    'of an object that is there is bound',
    [ledgerEntry()],
    [[{ kind: 'ManagedService', state: 'bound' }, 1]],
  ],
  [
    'of an earlier object of the same name is left',
    [ledgerEntry({ object: { ...orders, uid: 'gone' } })],
    [[{ kind: 'ManagedService', state: 'left' }, 1]],
  ],
  [
    'of an object of another name that is gone is left, and two of them are counted',
    ['a', 'b'].map((uid) => ledgerEntry({ object: { ...orders, name: 'carts', uid } })),
    [[{ kind: 'ManagedService', state: 'left' }, 2]],
  ],
  [
    'without content is unreadable, and its label names its kind',
    [labelled],
    [[{ kind: 'ManagedVpc', state: 'unreadable' }, 1]],
  ],
  ['of another cluster is not counted', [ledgerEntry({ clusterUid: 'before' })], []],
  [
    'of no known kind is not counted',
    [{ ...unreadableEntry, metadata: { ...unreadableEntry.metadata, labels: {} } }],
    [],
  ],
])('a ledger entry %s', async (_, entries, expected) => {
  const samples = await scrape({ caches: ledgerCache([serviceObject()], entries) });
  expect(samples('managed_db_ledger_entries')).toEqual(expected);
});
