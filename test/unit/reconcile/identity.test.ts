import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { identityOf, identityWhileCreating } from '../../../src/reconcile/situation/identity.ts';
import { readRecord, type Attempt, type ResourceRecord } from '../../../src/reconcile/record/record.ts';
import { managedServices } from '../../../src/resources/managed-service.ts';

const attempt: Attempt = { id: 'attempt-2', at: '2026-11-21T09:00:00.000Z', request: {}, sameNameIds: [] };

interface Places {
  readonly record?: ResourceRecord;
  readonly status?: object;
  /** The id in the ledger entry. */
  readonly ledger?: string;
  readonly externalId?: string;
}

function object({ record, status, externalId }: Places) {
  const annotations = {
    ...(record === undefined ? {} : { 'managed-db.io/record': JSON.stringify(record) }),
    ...(externalId === undefined ? {} : { 'managed-db.io/external-id': externalId }),
  };
  const metadata = { name: 'orders', namespace: 'shop', uid: 'uid', resourceVersion: '1', annotations };
  return managedServices.parse({ metadata, spec: {}, status });
}

function identity(places: Places) {
  const read = readRecord(object(places).metadata.annotations?.['managed-db.io/record']);
  return identityOf(read, object(places), places.ledger === undefined ? undefined : { id: places.ledger, projectId: 'prj-1' });
}

const known = (places: Places) => {
  const found = identity(places);
  return found.state === 'known' ? `${found.id} by ${found.by}` : found.state;
};

test.each<[string, Places, string]>([
  ['nothing says anything', {}, 'none'],
  ['the record says it', { record: { id: 'a' } }, 'a by record'],
  ['only status says it', { status: { id: 'a' } }, 'a by status'],
  ['only the ledger says it', { ledger: 'a' }, 'a by ledger'],
  ['record and status say it', { record: { id: 'a' }, status: { id: 'a' } }, 'a by record'],
  ['the ledger says another id than the record', { record: { id: 'a' }, ledger: 'b' }, 'a by record'],
  ['the ledger says another id than status', { status: { id: 'a' }, ledger: 'b' }, 'a by status'],
  ['the ledger has the id of the resource that was replaced', { record: { id: 'b', replaces: 'a' }, ledger: 'a' }, 'b by record'],
  ['a create is open', { record: { attempt } }, 'none'],
  ['an old create is recorded, and status knows the id', { record: { attempt }, status: { id: 'a' } }, 'a by status'],
  ['what is lost is made again', { record: { id: 'a', attempt }, status: { id: 'a' } }, 'a by record'],
  ['another took the place of what was lost', { record: { id: 'b', replaces: 'a' }, status: { id: 'a' } }, 'b by record'],
  ['what was to be replaced is said to have replaced itself', { record: { id: 'a', replaces: 'a' }, status: { id: 'a' } }, 'a by record'],
  ['the record of a recreation is put back after it', { record: { id: 'a', attempt }, status: { id: 'b' } }, 'conflict'],
  ['a person names another than status', { externalId: 'b', status: { id: 'a' } }, 'a by status'],
])('%s', (_, places, expected) => {
  expect(known(places)).toBe(expected);
});

test('a record that does not parse is a conflict, whatever id status and the ledger have', () => {
  expect(identityOf({ state: 'unreadable' }, object({ status: { id: 'a' } }), { id: 'a' }).state).toBe('conflict');
});

const id = fc.constantFrom(undefined, 'a', 'b');

test('record and status both count, and different ids are a conflict; the ledger counts where neither has an id', () => {
  fc.assert(
    fc.property(id, id, id, fc.boolean(), (record, status, ledger, isOpen) => {
      const said = new Set([record, status].filter((each) => each !== undefined));
      const found = identity({
        record: { ...(record === undefined ? {} : { id: record }), ...(isOpen ? { attempt } : {}) },
        ...(status === undefined ? {} : { status: { id: status } }),
        ...(ledger === undefined ? {} : { ledger }),
      });
      expect(found.state).toBe(said.size === 2 ? 'conflict' : said.size === 1 || ledger !== undefined ? 'known' : 'none');
      expect(found.state === 'known' ? found.id : undefined).toBe(said.size === 2 ? undefined : ([...said][0] ?? ledger));
    }),
  );
});

describe('a recorded create', () => {
  const whileCreating = (places: Places) => identityWhileCreating(places.record ?? {}, identity(places), object(places));
  const isOpen = (places: Places) => whileCreating(places).openAttempt !== undefined;
  const refusal = { failures: 1, at: '2026-11-21T09:00:00.000Z', message: 'no' };

  test.each<[string, Places, boolean]>([
    ['is open', { record: { attempt } }, true],
    ['is open while a lost resource is made again', { record: { id: 'a', attempt }, status: { id: 'a' } }, true],
    ['is closed by its refusal', { record: { attempt }, status: { refusal: { attempt: 'attempt-2', ...refusal } } }, false],
    ['is not closed by that of an earlier one', { record: { attempt }, status: { refusal: { attempt: 'attempt-1', ...refusal } } }, true],
    ['is open, whatever status names', { record: { attempt }, status: { id: 'a' } }, true],
    ['is open, whatever the ledger names', { record: { attempt }, ledger: 'a' }, true],
    ['is not looked for while the places contradict each other', { record: { id: 'a', attempt }, status: { id: 'b' } }, false],
  ])('%s', (_, places, expected) => {
    expect(isOpen(places)).toBe(expected);
  });

  test.each<[string, Places, string, object | undefined]>([
    ['of the ledger waits for an open create', { record: { attempt }, ledger: 'a' }, 'none', { id: 'a' }],
    ['of the ledger counts while no create is open', { record: {}, ledger: 'a' }, 'known', undefined],
    ['of status waits for an open create', { record: { attempt }, status: { id: 'a' } }, 'none', { id: 'a' }],
    ['of status contradicts the record', { record: { id: 'b', attempt }, status: { id: 'a' } }, 'conflict', undefined],
    [
      'of status counts after a refusal',
      { record: { attempt }, status: { id: 'a', refusal: { attempt: 'attempt-2', ...refusal } } },
      'known',
      undefined,
    ],
  ])('the id %s', (_, places, state, idBeside) => {
    expect([whileCreating(places).identity.state, whileCreating(places).idBeside]).toEqual([state, idBeside]);
  });
});
