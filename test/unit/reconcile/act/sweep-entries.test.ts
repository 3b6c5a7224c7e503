import { expect, test } from 'vitest';
import { sweepEntries } from '../../../../src/reconcile/act/release.ts';
import { startDeletingEntry } from '../../../../src/reconcile/ledger/write-entry.ts';
import type { EntryContent } from '../../../../src/resources/ledger-entry.ts';
import { resourceKey } from '../../../../src/runtime/index.ts';
import { chosenAttempt, serviceObject } from '../../../support/situation.ts';
import { passwordWorld, storedEntry } from './password-world.ts';

/** The entries of an object that is gone. */

const nothing = {
  id: undefined,
  projectId: undefined,
  outcome: undefined,
  passwordNumber: 0,
  hasPassword: false,
};

test.each<[string, Partial<EntryContent>, isBeingDeleted: boolean, stays: boolean]>([
  ['without a resource and an attempt is deleted', nothing, false, false],
  [
    'that a process was about to delete when it ended is deleted',
    { deletionStarted: { id: 'svc-1' } },
    true,
    false,
  ],
  ['of a resource that may be in the cloud stays', {}, false, true],
  [
    'of a resource that may be in the cloud stays, even if a user deletes the entry',
    {},
    true,
    true,
  ],
  [
    'of a resource whose deletion was decided stays until its absence is proven',
    { deletionStarted: { id: 'svc-1' } },
    false,
    true,
  ],
  ['with a create that has no answer stays', { ...nothing, attempt: chosenAttempt }, true, true],
  ['of another cluster stays', { ...nothing, clusterUid: 'before' }, true, true],
])('a ledger entry %s', async (_, content, isBeingDeleted, stays) => {
  const { metadata, ...rest } = storedEntry(content, {});
  const times = isBeingDeleted ? { deletionTimestamp: '2026-11-21T12:00:00Z' } : {};
  const world = passwordWorld({ secrets: [{ ...rest, metadata: { ...metadata, ...times } }] });
  await sweepEntries('ManagedService', resourceKey('shop', 'orders'), world.context);
  expect(world.seen('managed-db-ledger', 'managedservice-uid') !== undefined).toBe(stays);
});

test.each<[string, Partial<EntryContent>, messages: readonly string[]]>([
  [
    'without an answer is reported',
    { ...nothing, projectId: 'prj-1', attempt: chosenAttempt },
    [
      'ManagedService/orders is gone, and its create of "orders" in project prj-1 has no answer: look for it in the cloud, where it may cost money',
    ],
  ],
  [
    'that another cluster sent is not reported',
    { ...nothing, attempt: chosenAttempt, clusterUid: 'before' },
    [],
  ],
  ['that was never sent is not reported', nothing, []],
])('a create of a gone object %s', async (_, content, messages) => {
  const world = passwordWorld({ secrets: [storedEntry(content, {})] });
  await sweepEntries('ManagedService', resourceKey('shop', 'orders'), world.context);
  expect(world.events).toEqual(messages);
});

test.each<[string, Partial<EntryContent>, stays: boolean]>([
  ['goes with its entry', { ...nothing, projectId: 'prj-1', attempt: chosenAttempt }, false],
  ['leaves the entry of a lost resource', { attempt: chosenAttempt }, true],
])(
  'a create that this process recorded for a gone object, did not send and could not close %s, and is not reported',
  async (_, content, stays) => {
    const world = passwordWorld({ secrets: [storedEntry(content, {})] });
    world.evidence.noteMadeNothing(serviceObject(), chosenAttempt);
    await sweepEntries('ManagedService', resourceKey('shop', 'orders'), world.context);
    expect(world.seen('managed-db-ledger', 'managedservice-uid') !== undefined).toBe(stays);
    expect(world.events).toEqual([]);
  },
);

test('an entry of a released object whose last finalizer patch failed is swept, although no watch has shown its deletion', async () => {
  const world = passwordWorld({
    secrets: [storedEntry({ deletionStarted: { id: 'svc-1' } }, {})],
  });
  const [entry] = world.caches.ledger.entries.values();
  if (entry) await startDeletingEntry(entry, world.context);
  expect(world.seen('managed-db-ledger', 'managedservice-uid')).toBeDefined();
  await sweepEntries('ManagedService', resourceKey('shop', 'orders'), world.context);
  expect(world.seen('managed-db-ledger', 'managedservice-uid')).toBeUndefined();
});
