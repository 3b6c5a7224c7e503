import { expect, test } from 'vitest';
import { entryFigures } from '../../../src/operator/metrics/object-figures.ts';
import { ledgerCache } from '../../support/ledger-cache.ts';
import { ledgerEntry, unreadableEntry } from '../../support/ledger-entry.ts';
import { serviceObject } from '../../support/situation.ts';

const object = { kind: 'ManagedService', namespace: 'shop', name: 'orders' };
const labelled = { ...unreadableEntry, metadata: { ...unreadableEntry.metadata, labels: { 'managed-db.io/kind': 'ManagedVpc' } } };

test.each([
  ['an object that is there is bound', ledgerEntry(), [{ kind: 'ManagedService', state: 'bound' }]],
  [
    'an earlier object of the same name is left',
    ledgerEntry({ object: { ...object, uid: 'gone' } }),
    [{ kind: 'ManagedService', state: 'left' }],
  ],
  [
    'an object of another name that is gone is left',
    ledgerEntry({ object: { ...object, name: 'carts', uid: 'gone' } }),
    [{ kind: 'ManagedService', state: 'left' }],
  ],
  ['a kind that only its label tells is unreadable', labelled, [{ kind: 'ManagedVpc', state: 'unreadable' }]],
  ['another cluster is not counted', ledgerEntry({ clusterUid: 'before' }), []],
  ['no known kind is not counted', { ...unreadableEntry, metadata: { ...unreadableEntry.metadata, labels: {} } }, []],
])('a ledger entry of %s', (_, entry, figures) => {
  expect(entryFigures(ledgerCache([serviceObject()], [entry]), 'cluster')).toEqual(figures);
});
