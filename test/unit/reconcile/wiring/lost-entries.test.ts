import { expect, test } from 'vitest';
import { rememberLostEntries } from '../../../../src/reconcile/wiring/lost-entries.ts';
import { lostBy, memory } from '../../../../src/reconcile/wiring/memory.ts';
import type { EntryContent } from '../../../../src/resources/ledger-entry.ts';
import { ledgerCache } from '../../../support/ledger-cache.ts';
import { ledgerEntry } from '../../../support/ledger-entry.ts';
import { ownAttempt, serviceObject } from '../../../support/situation.ts';

/** The id in a ledger entry that another client removed by force. */

interface Given {
  readonly entry?: Partial<EntryContent>;
  /** The entry is being deleted. */
  readonly isLeaving?: true;
  /** This process has sent the DELETE of the entry. */
  readonly isOwnEnd?: true;
  readonly isObjectGone?: true;
  readonly isAnothers?: true;
}

const deletionTimestamp = '2026-11-21T12:00:00Z';
const lost = { uid: 'uid', id: 'svc-1', projectId: 'prj-1' };

test.each<[sentence: string, given: Given, expected: object | undefined]>([
  ['is remembered while its object lives', {}, lost],
  ['is remembered after a DELETE of another client, too', { isLeaving: true }, lost],
  ['is forgotten if this process deleted the entry', { isOwnEnd: true }, undefined],
  [
    'is forgotten if the previous leader released the object',
    { isLeaving: true, entry: { deletionStarted: { id: 'svc-1' } } },
    undefined,
  ],
  ['is forgotten if its object is gone', { isObjectGone: true }, undefined],
  ['is left to the process of its object', { isAnothers: true }, undefined],
  ['is left to the cluster of the entry', { entry: { clusterUid: 'production' } }, undefined],
  [
    'is unknown if the create had no answer',
    { entry: { id: undefined, outcome: undefined, attempt: ownAttempt } },
    undefined,
  ],
])('the id in a removed ledger entry %s', (_, given, expected) => {
  const object = serviceObject();
  const entry = ledgerEntry(given.entry, given.isLeaving ? { deletionTimestamp } : {});
  const caches = ledgerCache(given.isObjectGone ? [] : [object], [entry]);
  const known = memory();
  const shard = { isAnothers: () => given.isAnothers === true };
  rememberLostEntries({ caches, clusterUid: 'cluster', memory: known, shard });
  if (given.isOwnEnd) caches.ledger.expectsEnd(entry);
  caches.ledger.entries.remove(entry);
  expect(lostBy(object, known)).toEqual(expected);
});
