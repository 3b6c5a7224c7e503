import type { Attempt } from '../../../../src/resources/ledger-entry.ts';
import { describe, expect, test } from 'vitest';
import { judge, generatedName } from '../../../../src/reconcile/ledger/attempt.ts';
import * as fc from 'fast-check';

const attempt: Attempt = {
  id: 'abcdefgh23456789',
  at: '2026-11-21T09:00:00.000Z',
  request: { name: 'orders' },
  sameNameIds: ['old'],
};
const nobody = () => false;

interface Candidate {
  readonly id: string;
  readonly name: string;
}

function candidate(change: Partial<Candidate> = {}): Candidate {
  return { id: 'new', name: 'orders', ...change };
}

const oursAlone: Attempt = { ...attempt, request: { name: generatedName('orders', attempt.id) } };

const verdict = (
  candidates: readonly Candidate[],
  isClaimed: (id: string) => boolean = nobody,
  asked = attempt,
) => judge(asked, new Map(candidates.map((each) => [each.id, each])), isClaimed);

describe('with a name that the user chose', () => {
  test('a resource of another name, an older one and an owned one are not the result', () => {
    expect(verdict([candidate({ name: 'carts' }), candidate({ id: 'old' })])).toEqual({
      kind: 'none',
    });
    expect(verdict([candidate()], (id) => id === 'new')).toEqual({ kind: 'none' });
  });

  test('every other resource of that name is a question', () => {
    expect(verdict([candidate()])).toEqual({ kind: 'ambiguous', ids: ['new'] });
    expect(verdict([candidate(), candidate({ id: 'newer' })])).toEqual({
      kind: 'ambiguous',
      ids: ['new', 'newer'],
    });
  });
});

test('the only resource under a generated name is the result', () => {
  const found = candidate({ name: 'orders-abcdef' });
  expect(verdict([found], nobody, oursAlone)).toEqual({ kind: 'one', id: 'new' });
  expect(verdict([found, { ...found, id: 'newer' }], nobody, oursAlone)).toEqual({
    kind: 'ambiguous',
    ids: ['new', 'newer'],
  });
});

test('a name of ours has the object in front, six characters of the attempt behind, and fits', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z][a-z0-9-]{0,252}$/u), (prefix) => {
      const name = generatedName(prefix, attempt.id);
      expect(name.length).toBeLessThanOrEqual(128);
      expect(name).toMatch(/-abcdef$/u);
      expect(prefix.startsWith(name.slice(0, -7))).toBe(true);
    }),
  );
});
