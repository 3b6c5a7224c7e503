import { expect, test } from 'vitest';
import { operatorCaches } from '../../../../src/operator/caches.ts';
import { leftEntries, leftoversOf } from '../../../../src/reconcile/observe/earlier-objects.ts';
import { claimTable } from '../../../../src/reconcile/wiring/claims.ts';
import { handClock } from '../../../support/hand-clock.ts';
import { resourceHash } from '../../../../src/reconcile/ledger/entry.ts';
import type { LedgerEntry } from '../../../../src/resources/ledger-entry.ts';
import { objectCache } from '../../../../src/runtime/index.ts';
import { ledgerEntry } from '../../../support/ledger-entry.ts';
import { serviceObject } from '../../../support/situation.ts';

/** The passwords of a resource pass from the entry of an object that is gone to a later object of the same namespace. (docs/safety.md, Passwords) */

const gone = { kind: 'ManagedService', namespace: 'shop', name: 'earlier', uid: 'gone' };
const resource = resourceHash('ManagedService', 'prj-1', 'svc-1');
const left = (object: Partial<typeof gone> = {}) => ledgerEntry({ object: { ...gone, ...object } });

test.each<[string, LedgerEntry, boolean]>([
  ['of an earlier object counts', left(), true],
  ['of an earlier object with the name of a living one counts', left({ name: 'alive' }), true],
  ['of an object in another namespace does not count', left({ namespace: 'bank' }), false],
  [
    'of an object of the same name in another namespace does not count',
    left({ namespace: 'bank', name: 'orders' }),
    false,
  ],
  ['of a living object does not count', left({ name: 'alive', uid: 'alive' }), false],
  ['of the object itself does not count', ledgerEntry(), false],
  ['about another resource does not count', ledgerEntry({ object: gone, id: 'svc-2' }), false],
  [
    'about a resource of the same id in another project does not count',
    ledgerEntry({ object: gone, projectId: 'prj-2' }),
    false,
  ],
])('a ledger entry %s as left from an earlier object', (_, entry, expected) => {
  const caches = operatorCaches({ cache: () => objectCache([undefined]) }, 'managed-db-ledger');
  caches
    .of('ManagedService')
    .wrote(serviceObject({}, {}, { metadata: { name: 'alive', uid: 'alive' } }));
  caches.ledger.entries.wrote(entry);
  const names = leftEntries(serviceObject(), resource, { caches }).map(
    ({ metadata }) => metadata.name,
  );
  expect(names).toEqual(expected ? [entry.metadata.name] : []);
});

test.each([
  ['as they were made', false],
  ['in reverse', true],
])(
  'the resources of earlier objects of a name come with the latest first, read %s',
  (_, isReversed) => {
    const caches = operatorCaches({ cache: () => objectCache([undefined]) }, 'managed-db-ledger');
    const entries = ['01', '02', '03'].map((day) =>
      ledgerEntry({
        object: { ...gone, name: 'orders', uid: `of ${day}` },
        id: `made-${day}`,
        claimedAt: `2026-11-${day}T12:00:00Z`,
      }),
    );
    for (const entry of isReversed ? entries.toReversed() : entries)
      caches.ledger.entries.wrote(entry);
    const { clusterUid = '' } = entries[0]?.content ?? {};
    const claims = claimTable(caches, handClock());
    expect(leftoversOf(serviceObject(), undefined, { caches, claims, clusterUid })).toEqual(
      ['made-03', 'made-02', 'made-01'].map((id) => ({ id })),
    );
  },
);
