import { expect, test } from 'vitest';
import { operatorCaches } from '../../../../src/operator/caches.ts';
import { claimOf } from '../../../../src/reconcile/observe/claim.ts';
import { claimTable } from '../../../../src/reconcile/wiring/claims.ts';
import { evidence } from '../../../../src/reconcile/wiring/evidence.ts';
import { annotations } from '../../../../src/resources/annotations.ts';
import type { EntryContent, LedgerEntry } from '../../../../src/resources/ledger-entry.ts';
import { objectCache } from '../../../../src/runtime/index.ts';
import { defaultOptions } from '../../../support/default-options.ts';
import { handClock } from '../../../support/hand-clock.ts';
import { emptyEntry, ledgerEntry, unreadableEntry } from '../../../support/ledger-entry.ts';
import { chosenAttempt, serviceObject } from '../../../support/situation.ts';

const service = { kind: 'ManagedService', namespace: 'shop' };
/** The entry of an earlier object of the same name. */
const leftover = (given: Partial<EntryContent> = {}) =>
  ledgerEntry({ object: { ...service, name: 'orders', uid: 'gone' }, ...given });
/** The entry of a living object of another name. */
const neighbour = (given: Partial<EntryContent> = {}) =>
  ledgerEntry({ object: { ...service, name: 'carts', uid: 'carts' }, ...given });
const own = 'managedservice-uid';
const left = 'managedservice-gone';
const its = 'managedservice-carts';
const openCreate = { id: 'attempt', asked: 'orders', uid: 'uid' };
const before = { clusterUid: 'before' };
const nothing = { id: undefined, projectId: undefined, outcome: undefined };
const deleted = { deletionTimestamp: '2026-11-21T12:00:00Z' };
const isReleased = (entry: LedgerEntry): LedgerEntry => ({
  ...entry,
  metadata: { ...entry.metadata, ...deleted },
});
const lost = 'or it lost its label managed-db.io/ledger';
const none = `the ledger has no entry of this object, ${lost}`;
const another = `${annotations.ledger} names the entry of another object (${its})`;
const unreadable = `ledger entry ${own} cannot be read`;

interface Given {
  readonly entries?: readonly LedgerEntry[];
  readonly pointer?: string;
  /** The id in status. */
  readonly id?: string;
  /** The id or the open create in an entry that another client removed by force, and the uid of its object. */
  readonly lost?: { readonly id: string; readonly asked?: string; readonly uid: string };
  /** The answer to a create in status. */
  readonly refusal?: object;
  readonly says?: Readonly<Record<string, string>>;
  readonly metadata?: object;
  readonly accepts?: readonly string[];
}

const ours = { state: 'ours' };
const rebind = (entry: string) => ({ state: 'rebind', entry });
const elsewhere = { state: 'elsewhere', clusterUid: 'before' };
const unbound = (why: string, id?: string) => ({ state: 'unbound', why, id });

test.each<[sentence: string, given: Given, claim: object]>([
  ['An object without any trace may act', {}, ours],
  [
    'An object with its own entry may act',
    { entries: [ledgerEntry()], pointer: own, id: 'svc-1' },
    ours,
  ],
  [
    'An object with its own entry may act while it is deleted',
    { entries: [ledgerEntry()], id: 'svc-1', metadata: deleted },
    ours,
  ],
  [
    'An object with its own entry may act though it lost its pointer',
    { entries: [ledgerEntry()] },
    ours,
  ],
  [
    'An object with its own entry may act though it points at another entry',
    { entries: [ledgerEntry(), neighbour({ id: 'svc-2' })], pointer: its },
    ours,
  ],
  [
    'An object with its own entry may act beside a leftover',
    { entries: [ledgerEntry(), leftover()], pointer: own },
    ours,
  ],
  [
    'An object with an entry of an open create may act, whatever its status names',
    { entries: [ledgerEntry({ ...nothing, attempt: chosenAttempt })], pointer: own, id: 'svc-0' },
    ours,
  ],
  ['An object with an empty entry may act', { entries: [emptyEntry], pointer: own }, ours],
  [
    'An object takes over its own entry of an accepted cluster',
    { entries: [ledgerEntry(before)], pointer: own, accepts: ['before'] },
    rebind(own),
  ],
  [
    'An object may not act with its own entry of another cluster',
    { entries: [ledgerEntry(before)], pointer: own },
    elsewhere,
  ],
  [
    'An object takes over the leftover that it points at',
    { entries: [leftover()], pointer: left, id: 'svc-1' },
    rebind(left),
  ],
  [
    'An object takes over the leftover that it points at into its empty entry',
    { entries: [emptyEntry, leftover()], pointer: left, id: 'svc-1' },
    rebind(left),
  ],
  [
    'An object may not act while it points at the entry of another object, but learns that object',
    { entries: [neighbour()], pointer: its },
    { state: 'copied', original: { key: 'shop/carts' } },
  ],
  [
    'An object that points at an entry of another namespace does not learn its resource',
    {
      entries: [
        neighbour({ object: { ...service, namespace: 'bank', name: 'carts', uid: 'carts' } }),
      ],
      pointer: its,
    },
    { ...unbound(another), pointedId: undefined },
  ],
  [
    'An object that points at an entry of another kind does not learn its resource',
    {
      entries: [
        neighbour({ object: { ...service, kind: 'ManagedVpc', name: 'carts', uid: 'carts' } }),
      ],
      pointer: 'managedvpc-carts',
    },
    { ...unbound(another.replace(its, 'managedvpc-carts')), pointedId: undefined },
  ],
  [
    'An object may not act while it points at the entry of another object of an accepted cluster',
    { entries: [neighbour(before)], pointer: its, accepts: ['before'] },
    { state: 'copied', original: { key: 'shop/carts' } },
  ],
  [
    'An object may not act while it points at the entry of another object of another cluster',
    { entries: [neighbour(before)], pointer: its },
    elsewhere,
  ],
  [
    'An object may not act while it points at an entry that is missing',
    { pointer: own },
    unbound(`the ledger has no entry managedservice-uid, ${lost}`),
  ],
  [
    'An object may not act while it points at an unknown entry',
    { pointer: its },
    unbound(`the ledger has no entry managedservice-carts, ${lost}`),
  ],
  [
    'An object may act if it points at nothing but has external-id',
    { pointer: own, says: { [annotations.externalId]: 'svc-2' } },
    ours,
  ],
  [
    'An object without entry may not act if its status names a resource',
    { id: 'svc-1' },
    unbound(none, 'svc-1'),
  ],
  [
    'An object without entry may not act if its status names the resource of another object',
    { entries: [neighbour()], id: 'svc-1' },
    unbound(none, 'svc-1'),
  ],
  [
    'An object whose status names a resource may act with external-id',
    { id: 'svc-1', says: { [annotations.externalId]: 'svc-1' } },
    ours,
  ],
  [
    'An object whose status names a resource may act if create-anyway lists it',
    { id: 'svc-1', says: { [annotations.createAnyway]: 'svc-0,svc-1' } },
    ours,
  ],
  [
    'An object whose status names a resource may not act if create-anyway lists others',
    { id: 'svc-1', says: { [annotations.createAnyway]: 'svc-2' } },
    unbound(none, 'svc-1'),
  ],
  [
    'A deleted object without entry may not act if its status names a resource',
    { id: 'svc-1', metadata: deleted },
    unbound(none, 'svc-1'),
  ],
  [
    'A deleted object without entry may not act because of external-id',
    { id: 'svc-1', says: { [annotations.externalId]: 'svc-1' }, metadata: deleted },
    unbound(none, 'svc-1'),
  ],
  [
    'An object whose entry was removed by force names its resource, although its status has no id yet',
    { pointer: own, lost: { id: 'svc-1', uid: 'uid' } },
    {
      ...unbound(`the ledger has no entry managedservice-uid, ${lost}`, 'svc-1'),
      projectId: 'prj-1',
    },
  ],
  [
    'An object whose entry was removed by force may not act without its pointer either',
    { lost: { id: 'svc-1', uid: 'uid' } },
    unbound(none, 'svc-1'),
  ],
  [
    'An object whose entry was removed by force may not act if create-anyway lists others',
    {
      pointer: own,
      lost: { id: 'svc-1', uid: 'uid' },
      says: { [annotations.createAnyway]: 'svc-2' },
    },
    unbound(`the ledger has no entry managedservice-uid, ${lost}`, 'svc-1'),
  ],
  [
    'An object whose entry was removed by force while its create was open names that create',
    { pointer: own, lost: openCreate },
    {
      ...unbound(`the ledger has no entry managedservice-uid, ${lost}`, 'attempt'),
      asked: 'orders',
      projectId: 'prj-1',
    },
  ],
  [
    'An object whose entry was removed by force while its create was open may not act without its pointer either',
    { lost: openCreate },
    { ...unbound(none, 'attempt'), asked: 'orders' },
  ],
  [
    'An object whose entry was removed by force while its create was open may not act with an empty entry either',
    { entries: [emptyEntry], pointer: own, lost: openCreate },
    { state: 'unbound', id: 'attempt', asked: 'orders' },
  ],
  [
    'An object whose entry was removed by force while its create was open may act if create-anyway lists the attempt',
    { pointer: own, lost: openCreate, says: { [annotations.createAnyway]: 'attempt' } },
    ours,
  ],
  [
    'An object whose entry was removed by force while its create was open may act with external-id',
    { pointer: own, lost: openCreate, says: { [annotations.externalId]: 'svc-2' } },
    ours,
  ],
  [
    'An object may act if an earlier object of its name lost its entry by force',
    { lost: { id: 'svc-1', uid: 'gone' } },
    ours,
  ],
  [
    'An object with its own entry may act although an earlier entry was removed by force',
    { entries: [ledgerEntry()], lost: { id: 'svc-0', uid: 'uid' } },
    ours,
  ],
  [
    'An object with an empty entry may not act if its status names a resource',
    { entries: [emptyEntry], pointer: own, id: 'svc-1' },
    unbound('the ledger entry managedservice-uid is about no resource', 'svc-1'),
  ],
  [
    'An object with an unreadable entry may not act',
    { entries: [unreadableEntry], pointer: own, id: 'svc-1' },
    unbound(unreadable, 'svc-1'),
  ],
  [
    'An object with an unreadable entry, and nothing else, may not act',
    { entries: [unreadableEntry] },
    unbound(unreadable, undefined),
  ],
  [
    'An object that points at an unreadable entry may not act',
    { entries: [{ ...leftover(), content: undefined }], pointer: left },
    unbound(unreadable.replace(own, left)),
  ],
  [
    'An object may not act on a resource in the entry of another living object',
    { entries: [ledgerEntry(), neighbour()] },
    { state: 'contested', rival: { key: 'shop/carts' } },
  ],
  [
    'An object takes over a leftover that it points at, though its deletion was decided',
    { entries: [leftover({ deletionStarted: { id: 'svc-1' } })], pointer: left, id: 'svc-1' },
    rebind(left),
  ],
  [
    'An object does not take over the entry of an object that was released',
    {
      entries: [isReleased(leftover({ deletionStarted: { id: 'svc-1' } }))],
      pointer: left,
      id: 'svc-1',
    },
    unbound(another.replace(its, left), 'svc-1'),
  ],
  [
    'An object may act on a resource in the entry of another gone object',
    {
      entries: [
        ledgerEntry(),
        ledgerEntry({ object: { ...service, name: 'earlier', uid: 'gone' } }),
      ],
    },
    ours,
  ],
  [
    'A new object may not act beside a leftover of another cluster',
    { entries: [leftover(before)] },
    elsewhere,
  ],
  [
    'A new object takes over a leftover of an accepted cluster',
    { entries: [leftover(before)], accepts: ['before'] },
    rebind(left),
  ],
  [
    'A new object does not take over a leftover of this cluster that it does not point at',
    { entries: [leftover()] },
    ours,
  ],
])('%s', (_, given, claim) => {
  const {
    entries = [],
    pointer,
    id,
    lost: loss,
    refusal,
    says = {},
    metadata,
    accepts = [],
  } = given;
  const facts = evidence();
  const caches = operatorCaches({ cache: () => objectCache([undefined]) }, 'managed-db-ledger');
  const pointed = pointer === undefined ? {} : { [annotations.ledger]: pointer };
  const object = serviceObject({ ...pointed, ...says }, {}, { status: { id, refusal }, metadata });
  for (const each of [object, serviceObject({}, {}, { metadata: { name: 'carts', uid: 'carts' } })])
    caches.of('ManagedService').wrote(each);
  for (const entry of entries) caches.ledger.entries.wrote(entry);
  if (loss) {
    const { uid, ...known } = loss;
    const loser = { kind: object.kind, metadata: { ...object.metadata, uid } };
    facts.noteLost(loser, { ...known, projectId: 'prj-1' });
  }
  const options = { ...defaultOptions, acceptedClusters: accepts };
  const found = claimOf(object, {
    caches,
    claims: claimTable(caches, handClock()),
    clusterUid: 'cluster',
    evidence: facts,
    options,
  });
  expect(found).toMatchObject(claim);
});
