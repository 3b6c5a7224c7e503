import { expect, test } from 'vitest';
import { objectFigures } from '../../../src/operator/metrics/object-figures.ts';
import type { Condition } from '../../../src/resources/condition.ts';
import { managedServices } from '../../../src/resources/managed-service.ts';
import { managedVpcs } from '../../../src/resources/managed-vpc.ts';

const at = '2026-01-01T00:00:00.000Z';

const noCreate = () => undefined;
const none = { DEV: 0, PROD: 0, '': 0 };

function metadataOf(name: string) {
  return { name, namespace: 'shop', uid: name, resourceVersion: '1' };
}

function conditions(...each: readonly (readonly [type: string, status: Condition['status'], reason: string])[]) {
  return { conditions: each.map(([type, status, reason]) => ({ type, status, reason, message: '', lastTransitionTime: at })) };
}

test('objects are counted by kind, Ready and reason; the lost and the stalled of each kind by themselves, also where there are none', () => {
  const ready = conditions(['Ready', 'True', 'Available'], ['Synced', 'True', 'Available']);
  const lost = conditions(['Ready', 'False', 'Lost'], ['Synced', 'False', 'Lost'], ['Stalled', 'True', 'Lost']);
  const rejected = conditions(['Ready', 'False', 'Rejected'], ['Synced', 'False', 'Rejected'], ['Stalled', 'True', 'Rejected']);
  const creating = conditions(['Ready', 'False', 'Creating'], ['Synced', 'False', 'Creating'], ['Reconciling', 'True', 'Creating']);
  const { groups, kinds } = objectFigures(
    [
      managedVpcs.parse({ metadata: metadataOf('net'), spec: {}, status: ready }),
      managedServices.parse({ metadata: metadataOf('a'), spec: {}, status: ready }),
      managedServices.parse({ metadata: metadataOf('b'), spec: {}, status: ready }),
      managedServices.parse({ metadata: metadataOf('c'), spec: {}, status: lost }),
      managedServices.parse({ metadata: metadataOf('d'), spec: {}, status: rejected }),
      managedServices.parse({ metadata: metadataOf('e'), spec: {}, status: creating }),
      managedServices.parse({ metadata: metadataOf('f'), spec: {} }),
    ],
    0,
    noCreate,
  );
  expect(groups).toEqual([
    { kind: 'ManagedVpc', ready: 'True', reason: 'Available', environment: '', count: 1 },
    { kind: 'ManagedService', ready: 'True', reason: 'Available', environment: '', count: 2 },
    { kind: 'ManagedService', ready: 'False', reason: 'Lost', environment: '', count: 1 },
    { kind: 'ManagedService', ready: 'False', reason: 'Rejected', environment: '', count: 1 },
    { kind: 'ManagedService', ready: 'False', reason: 'Creating', environment: '', count: 1 },
    { kind: 'ManagedService', ready: 'Unknown', reason: 'Pending', environment: '', count: 1 },
  ]);
  expect(kinds.get('ManagedService')).toMatchObject({ lost: { DEV: 0, PROD: 0, '': 1 }, stalled: { DEV: 0, PROD: 0, '': 2 } });
  expect(kinds.get('ManagedVpc')).toMatchObject({ lost: none, stalled: none });
  expect(kinds.get('ReplicaSet')).toMatchObject({ lost: none, stalled: none, openCreates: none, oldestOpenCreateMs: none });
});

test('an object of a second process is counted as known and in no other metric', () => {
  const lost = conditions(['Ready', 'False', 'Lost'], ['Synced', 'False', 'Lost'], ['Stalled', 'True', 'Lost']);
  const { groups, kinds } = objectFigures(
    [
      managedServices.parse({ metadata: metadataOf('ours'), spec: {} }),
      managedServices.parse({ metadata: metadataOf('theirs'), spec: {}, status: lost }),
    ],
    0,
    ({ metadata }) => (metadata.name === 'theirs' ? -1_000 : undefined),
    ({ metadata }) => metadata.name === 'ours',
  );
  expect(groups).toEqual([{ kind: 'ManagedService', ready: 'Unknown', reason: 'Pending', environment: '', count: 1 }]);
  expect(kinds.get('ManagedService')).toEqual({ watched: 2, lost: none, stalled: none, openCreates: none, oldestOpenCreateMs: none });
});

test('open creates are counted, the age of the oldest is shown, and no age is negative', () => {
  const begun = new Map([
    ['a', 1_000],
    ['b', 5_000],
  ]);
  const openCreates = (now: number) =>
    objectFigures(
      ['a', 'b', 'c'].map((name) => managedServices.parse({ metadata: metadataOf(name), spec: {} })),
      now,
      ({ metadata }) => begun.get(metadata.name),
    ).kinds.get('ManagedService');
  expect(openCreates(6_000)).toMatchObject({ openCreates: { ...none, '': 2 }, oldestOpenCreateMs: { ...none, '': 5_000 } });
  expect(openCreates(500)).toMatchObject({ openCreates: { ...none, '': 2 }, oldestOpenCreateMs: none });
});

test('the oldest object whose spec is not applied is exposed for each reason, without objects that are left on purpose', () => {
  const waiting = (name: string, reason: string, since: string, beside = 'Reconciling') => {
    const status = conditions(['Ready', 'False', reason], ['Synced', 'False', reason], [beside, 'True', reason]);
    return managedServices.parse({
      metadata: metadataOf(name),
      spec: { environment: 'PROD' },
      status: { conditions: status.conditions.map((each) => ({ ...each, lastTransitionTime: since })) },
    });
  };
  const { unsynced, kinds, groups } = objectFigures(
    [
      waiting('a', 'Creating', '2026-01-01T00:00:00.000Z'),
      waiting('b', 'Creating', '2026-01-01T00:01:00.000Z'),
      waiting('c', 'Lost', '2026-01-01T00:01:30.000Z', 'Stalled'),
      waiting('d', 'Stopped', '2026-01-01T00:00:00.000Z', 'Other'),
      managedServices.parse({ metadata: { ...metadataOf('e'), creationTimestamp: '2026-01-01T00:01:40.000Z' }, spec: {} }),
    ],
    Date.parse('2026-01-01T00:02:00.000Z'),
    noCreate,
  );
  expect(unsynced).toEqual([
    { kind: 'ManagedService', reason: 'Creating', environment: 'PROD', oldestMs: 120_000 },
    { kind: 'ManagedService', reason: 'Lost', environment: 'PROD', oldestMs: 30_000 },
    { kind: 'ManagedService', reason: 'Pending', environment: '', oldestMs: 20_000 },
  ]);
  expect(kinds.get('ManagedService')).toMatchObject({ lost: { DEV: 0, PROD: 1, '': 0 } });
  expect(groups.find(({ reason }) => reason === 'Creating')).toMatchObject({ environment: 'PROD', count: 2 });
});

function working(reason: string, more: object) {
  return { ...conditions(['Synced', 'False', reason], ['Reconciling', 'True', reason]), ...more };
}

test('the age of a waiting object counts from its last progress, and a further try is no progress', () => {
  const long = '2026-01-01T00:00:00.000Z';
  const object = (name: string, more: object, statusOf: object) =>
    managedServices.parse({ metadata: { ...metadataOf(name), creationTimestamp: long, ...more }, spec: {}, status: statusOf });
  const lastOperation = { operation: 'resizeService', wanted: '', at: '2026-01-09T23:58:00.000Z' };
  const { unsynced } = objectFigures(
    [
      object('a', {}, working('Creating', { stateSince: '2026-01-09T23:59:00.000Z' })),
      object('b', {}, working('Resizing', { stateSince: long, lastOperation })),
      object('c', { deletionTimestamp: '2026-01-09T23:57:00.000Z' }, working('Deleting', {})),
      object('d', {}, working('ResolvingCreate', {})),
      object('e', {}, working('WaitingForReference', {})),
    ],
    Date.parse('2026-01-10T00:00:00.000Z'),
    ({ metadata: { name } }) => (name === 'd' ? Date.parse('2026-01-09T23:56:00.000Z') : undefined),
  );
  expect(unsynced.map(({ reason, oldestMs }) => [reason, oldestMs])).toEqual([
    ['Creating', 60_000],
    ['Resizing', 120_000],
    ['Deleting', 180_000],
    ['ResolvingCreate', 9 * 86_400_000],
    ['WaitingForReference', 9 * 86_400_000],
  ]);
});
