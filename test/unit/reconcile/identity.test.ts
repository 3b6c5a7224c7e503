import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { identityOf, type ResourceInSecret, identityWhileCreating } from '../../../src/reconcile/situation/identity.ts';
import { readRecord, type Attempt, type ResourceRecord } from '../../../src/reconcile/record/record.ts';
import { managedServices } from '../../../src/resources/managed-service.ts';

const attempt: Attempt = { id: 'attempt-2', at: '2026-11-21T09:00:00.000Z', request: {}, sameNameIds: [] };

interface Places {
  readonly record?: ResourceRecord;
  readonly status?: object;
  readonly secret?: Partial<ResourceInSecret>;
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
  const nothing: ResourceInSecret = { name: 'orders-db', id: undefined, projectId: undefined, clusterUid: undefined, attempt: undefined };
  return identityOf(read, object(places), places.secret && { ...nothing, ...places.secret });
}

const known = (places: Places) => {
  const found = identity(places);
  return found.state === 'known' ? `${found.id} by ${found.by}` : found.state;
};

test.each<[string, Places, string]>([
  ['nothing says anything', {}, 'none'],
  ['the record says it', { record: { id: 'a' } }, 'a by record'],
  ['only status says it', { status: { id: 'a' } }, 'a by status'],
  ['only the Secret says it', { secret: { id: 'a' } }, 'a by secret'],
  ['all say it', { record: { id: 'a' }, status: { id: 'a' }, secret: { id: 'a' } }, 'a by record'],
  ['a create is open', { record: { attempt } }, 'none'],
  ['the Secret answers the open create', { record: { attempt }, secret: { id: 'a', attempt: 'attempt-2' } }, 'none'],
  ['an old create is recorded, and status knows the id', { record: { attempt }, status: { id: 'a' } }, 'a by status'],
  [
    'an old create is recorded, and the Secret of a later one',
    { record: { attempt }, secret: { id: 'a', attempt: 'attempt-3' } },
    'a by secret',
  ],
  [
    'what is lost is made again',
    { record: { id: 'a', attempt }, status: { id: 'a' }, secret: { id: 'a', attempt: 'attempt-1' } },
    'a by record',
  ],
  ['that is answered in the Secret', { record: { id: 'a', attempt }, secret: { id: 'b', attempt: 'attempt-2' } }, 'a by record'],
  [
    'another took the place of what was lost',
    { record: { id: 'b', replaces: 'a' }, status: { id: 'a' }, secret: { id: 'a' } },
    'b by record',
  ],
  ['what was to be replaced is said to have replaced itself', { record: { id: 'a', replaces: 'a' }, status: { id: 'a' } }, 'a by record'],
  ['the record of a recreation is put back after it', { record: { id: 'a', attempt }, status: { id: 'b' } }, 'conflict'],
  ['the Secret is of an earlier resource, and a person names another', { externalId: 'b', secret: { id: 'a' } }, 'none'],
  ['a person names another than status', { externalId: 'b', status: { id: 'a' } }, 'a by status'],
])('%s', (_, places, expected) => {
  expect(known(places)).toBe(expected);
});

test('a record that does not parse is a conflict, whatever the others say', () => {
  expect(identityOf({ state: 'unreadable' }, object({ status: { id: 'a' } }), undefined).state).toBe('conflict');
});

const id = fc.constantFrom(undefined, 'a', 'b');

test('an id that any place knows has a voice: none is overheard, and two are a conflict', () => {
  fc.assert(
    fc.property(id, id, id, fc.boolean(), (record, status, secret, isOpen) => {
      const said = new Set([record, status, secret].filter((each) => each !== undefined));
      const found = identity({
        record: { ...(record === undefined ? {} : { id: record }), ...(isOpen ? { attempt } : {}) },
        ...(status === undefined ? {} : { status: { id: status } }),
        ...(secret === undefined ? {} : { secret: { id: secret, attempt: 'attempt-1' } }),
      });
      expect(found.state).toBe(['none', 'known', 'conflict'][said.size]);
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
    ['is open, whatever the Secret of another one names', { record: { attempt }, secret: { id: 'a', attempt: 'attempt-3' } }, true],
    ['is open, whatever a Secret of no create names', { record: { attempt }, secret: { id: 'a' } }, true],
    ['is open, whatever status and the Secret name', { record: { attempt }, status: { id: 'a' }, secret: { id: 'a' } }, true],
    [
      'is closed by its refusal, and the Secret counts',
      { record: { attempt }, status: { refusal: { attempt: 'attempt-2', ...refusal } }, secret: { id: 'a' } },
      false,
    ],
    ['is not looked for while the places contradict each other', { record: { id: 'a', attempt }, status: { id: 'b' } }, false],
  ])('%s', (_, places, expected) => {
    expect(isOpen(places)).toBe(expected);
  });

  test.each<[string, Places, string, object | undefined]>([
    ['waits for an open create', { record: { attempt }, secret: { id: 'a', attempt: 'attempt-3' } }, 'none', { id: 'a', by: 'secret' }],
    ['counts when there is none', { record: {}, secret: { id: 'a', attempt: 'attempt-3' } }, 'known', undefined],
    ['counts beside the id in the record', { record: { id: 'a', attempt }, secret: { id: 'a' } }, 'known', undefined],
    ['contradicts the id in the record', { record: { id: 'b', attempt }, secret: { id: 'a' } }, 'conflict', undefined],
    ['answers the open create', { record: { attempt }, secret: { id: 'a', attempt: 'attempt-2' } }, 'none', undefined],
    ['waits where status says it', { record: { attempt }, status: { id: 'a' } }, 'none', { id: 'a', by: 'status' }],
    [
      'waits where status says it, too',
      { record: { attempt }, status: { id: 'a' }, secret: { id: 'a' } },
      'none',
      { id: 'a', by: 'status' },
    ],
    ['contradicts status', { record: { attempt }, status: { id: 'b' }, secret: { id: 'a' } }, 'conflict', undefined],
    [
      'counts in status after a refusal',
      { record: { attempt }, status: { id: 'a', refusal: { attempt: 'attempt-2', ...refusal } } },
      'known',
      undefined,
    ],
  ])('what another place says %s', (_, places, state, idBeside) => {
    expect([whileCreating(places).identity.state, whileCreating(places).idBeside]).toEqual([state, idBeside]);
  });
});
