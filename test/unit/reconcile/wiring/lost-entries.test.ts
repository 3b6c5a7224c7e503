import { expect, test } from 'vitest';
import { rememberLostEntries } from '../../../../src/reconcile/wiring/lost-entries.ts';
import { evidence } from '../../../../src/reconcile/wiring/evidence.ts';
import { attemptName } from '../../../../src/reconcile/ledger/attempt.ts';
import { keyOf } from '../../../../src/runtime/index.ts';
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
  /** This process never sent the create in the entry. */
  readonly isVain?: true;
  /** An entry of the same object after the removal. */
  readonly later?: Partial<EntryContent>;
}

const noResource = { id: undefined, outcome: undefined };
const deletionTimestamp = '2026-11-21T12:00:00Z';
const lost = { id: 'svc-1', projectId: 'prj-1' };
const openCreate = { id: undefined, outcome: undefined, attempt: ownAttempt };
const lostCreate = { id: ownAttempt.id, asked: attemptName(ownAttempt), projectId: 'prj-1' };

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
  ['gives way to an open create without an id', { entry: openCreate }, lostCreate],
  [
    'counts, and not the open create in place of its resource',
    { entry: { attempt: ownAttempt } },
    lost,
  ],
  ['is missing without a resource and a create', { entry: noResource }, undefined],
  [
    'is missing if the process never sent its create',
    { entry: openCreate, isVain: true },
    undefined,
  ],
  [
    'is forgotten if a later entry is about a resource',
    { entry: openCreate, later: {} },
    undefined,
  ],
  ['is forgotten if a later entry has its create', { later: openCreate }, undefined],
  ['stays if a later entry is about nothing', { entry: openCreate, later: noResource }, lostCreate],
])('the id in a removed ledger entry %s', (_, given, expected) => {
  const object = serviceObject();
  const entry = ledgerEntry(given.entry, given.isLeaving ? { deletionTimestamp } : {});
  const caches = ledgerCache(given.isObjectGone ? [] : [object], [entry]);
  const facts = evidence();
  if (given.isVain) facts.noteMadeNothing(object, ownAttempt);
  const shard = { isAnothers: () => given.isAnothers === true };
  rememberLostEntries({ caches, clusterUid: 'cluster', evidence: facts, shard });
  if (given.isOwnEnd) caches.ledger.expectsEnd(entry);
  caches.ledger.entries.remove(entry);
  if (given.later) caches.ledger.entries.wrote(ledgerEntry(given.later, { resourceVersion: '9' }));
  expect(facts.lostBy(object)).toEqual(expected);
  facts.forget('ManagedService', keyOf(object));
  expect(facts.lostBy(object)).toBeUndefined();
});
