import { describe, expect, test } from 'vitest';
import type { Attempt, ResourceRecord } from '../../../src/reconcile/record.ts';
import { resolveCreateAttempt } from '../../../src/reconcile/rules/resolve-create-attempt.ts';
import { serviceObject, situation } from '../../support/situation.ts';

const attempt: Attempt = { id: 'abcdefgh', at: '2026-11-21T09:00:00.000Z', request: { name: 'orders' }, sameNameIds: [] };

interface Given {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly record?: ResourceRecord;
  readonly isDeleting?: boolean;
  readonly isAmbiguous?: boolean;
  readonly heldBack?: string;
}

/** What a create ends in that is not answered, and that nothing came of, or one of `a` and `b`. */
function decided({ annotations, record, isDeleting = false, isAmbiguous = true, heldBack }: Given) {
  const given = situation({
    object: serviceObject(annotations),
    record: { attempt, ...record },
    heldBack,
    attempt: { state: 'judged', attempt, verdict: isAmbiguous ? { kind: 'ambiguous', ids: ['a', 'b'] } : { kind: 'none' } },
    deletion: { requested: isDeleting, started: false, crdTerminating: false, dependents: [] },
  });
  return { type: 'goes on', ...resolveCreateAttempt(given) };
}

const noneOfThese = { 'managed-db.io/create-anyway': 'a,b' };
const thisOne = { 'managed-db.io/external-id': 'a' };

test.each<[string, Given, string]>([
  ['came to nothing', { isAmbiguous: false }, 'goes on'],
  ['came to nothing, while deleting', { isAmbiguous: false, isDeleting: true }, 'release'],
  ['came to nothing, and the Secret names one', { isAmbiguous: false, heldBack: 'a' }, 'write'],
  ['came to nothing, and the Secret names one, while deleting', { isAmbiguous: false, heldBack: 'a', isDeleting: true }, 'write'],
  ['made none of these', { annotations: noneOfThese }, 'goes on'],
  ['made none of these, while deleting', { annotations: noneOfThese, isDeleting: true }, 'release'],
  ['made none of what were there before', { annotations: { 'managed-db.io/create-anyway': 'a' }, isDeleting: true }, 'stall'],
  ['made none of these in the place of a lost one', { annotations: noneOfThese, record: { id: 'lost' }, isDeleting: true }, 'write'],
])('a create that %s', (_, given, expected) => {
  expect(decided(given).type).toBe(expected);
});

describe('what a person is told of a create that made one of several', () => {
  test.each<[string, Given, string, RegExp]>([
    ['', {}, 'AmbiguousCreate', /to take one: set spec\.credentialsRef .*; to create another: kubectl .*create-anyway=a,b$/u],
    [
      ', while deleting',
      { isDeleting: true },
      'AmbiguousCreate',
      /to delete one: set spec\.credentialsRef .*; to leave them and drop this object: kubectl .*create-anyway=a,b$/u,
    ],
    [", with the operator's key", { annotations: thisOne }, 'NotAllowed', /to create another: kubectl .*create-anyway=a,b$/u],
    [
      ", with the operator's key, while deleting",
      { annotations: thisOne, isDeleting: true },
      'NotAllowed',
      /to leave them and drop this object: kubectl .*create-anyway=a,b$/u,
    ],
  ])('%s', (_, given, reason, message) => {
    const step = decided(given);
    expect(step).toMatchObject({ type: 'stall', reason });
    expect('message' in step ? step.message : '').toMatch(message);
  });
});
