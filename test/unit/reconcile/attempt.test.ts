import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { possibleResults, judge, generatedName, type Candidate, type Verdict } from '../../../src/reconcile/record/attempt.ts';
import type { Attempt } from '../../../src/reconcile/record/record.ts';
import { defaultOptions } from '../../support/default-options.ts';
import { certain } from '../../../src/reconcile/observe/observe-attempt.ts';

const at = Date.parse('2026-11-21T09:00:00Z');
const attempt: Attempt = { id: 'abcdefgh23456789', at: new Date(at).toISOString(), request: { name: 'orders' }, sameNameIds: ['old'] };
const nobody = () => false;

function candidate(change: Partial<Candidate> = {}): Candidate {
  return { id: 'new', name: 'orders', created: new Date(at + 1_000).toISOString(), contradicts: false, equal: true, ...change };
}

const oursAlone: Attempt = { ...attempt, request: { name: generatedName('orders', attempt.id) } };

const verdict = (candidates: readonly Candidate[], isClaimed: (id: string) => boolean = nobody, asked = attempt) =>
  judge(asked, possibleResults(asked, candidates, isClaimed));

describe('with a name that the user chose', () => {
  test.each<[string, Partial<Candidate>]>([
    ['another name', { name: 'carts' }],
    ['an id that carried the name before', { id: 'old' }],
    ['a field that cannot change and differs', { contradicts: true }],
  ])('%s excludes', (_, change) => {
    expect(verdict([candidate(change)])).toEqual({ kind: 'none' });
  });

  test.each<[string, Partial<Candidate>]>([
    ['a missing creation time', { created: undefined }],
    ['one that does not parse', { created: 'yesterday' }],
    ['the edges of the window', { created: new Date(at - 5_000).toISOString() }],
    ['and the other', { created: new Date(at + 45_000).toISOString() }],
  ])('%s does not exclude', (_, change) => {
    expect(verdict([candidate(change)])).toEqual({ kind: 'one', id: 'new' });
  });

  test("one that is shown without a name may be anybody's: it is a question, unless a field that cannot change excludes it, or it is older, or owned", () => {
    const unnamed = candidate({ id: 'unnamed', name: undefined });
    expect(verdict([unnamed])).toEqual({ kind: 'unnamed', ids: ['unnamed'] });
    expect(verdict([unnamed, candidate()])).toEqual({ kind: 'unnamed', ids: ['unnamed', 'new'] });
    expect(verdict([candidate({ name: undefined, contradicts: true })])).toEqual({ kind: 'none' });
    expect(verdict([candidate({ id: 'old', name: undefined })])).toEqual({ kind: 'none' });
    expect(verdict([unnamed], () => true)).toEqual({ kind: 'none' });
  });

  test('a resource that somebody owns is not the answer', () => {
    expect(verdict([candidate()], (id) => id === 'new')).toEqual({ kind: 'none' });
  });

  test('one that differs in what may change is a question, as is one made before or later than was waited for, as are two', () => {
    expect(verdict([candidate({ equal: false })])).toEqual({ kind: 'ambiguous', ids: ['new'] });
    expect(verdict([candidate({ created: new Date(at - 5_001).toISOString() })])).toEqual({ kind: 'ambiguous', ids: ['new'] });
    expect(verdict([candidate({ created: new Date(at + 45_001).toISOString() })])).toEqual({ kind: 'ambiguous', ids: ['new'] });
    expect(verdict([candidate(), candidate({ id: 'newer' })])).toEqual({ kind: 'ambiguous', ids: ['new', 'newer'] });
  });
});

test('under a name that is ours alone a resource is the answer, whatever its clock and its fields say', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.boolean(), fc.option(fc.date({ noInvalidDate: true })), (contradicts, equal, created) => {
      const found = candidate({ name: 'orders-abcdef', contradicts, equal, created: created?.toISOString() });
      expect(verdict([candidate({ name: 'other', id: 'x' }), found], nobody, oursAlone)).toEqual({ kind: 'one', id: 'new' });
    }),
  );
});

test('under a name that is ours alone, one that is shown without a name is a question only while none has that name', () => {
  const unnamed = candidate({ id: 'unnamed', name: undefined });
  const found = candidate({ name: 'orders-abcdef' });
  expect(verdict([unnamed], nobody, oursAlone)).toEqual({ kind: 'unnamed', ids: ['unnamed'] });
  expect(verdict([unnamed, found], nobody, oursAlone)).toEqual({ kind: 'one', id: 'new' });
  expect(verdict([candidate({ name: undefined, contradicts: true })], nobody, oursAlone)).toEqual({ kind: 'none' });
});

test('whatever the lists hold, the verdict is one of theirs, and never one that is owned or older', () => {
  const any = fc.record({
    id: fc.constantFrom('old', 'a', 'b', 'c'),
    name: fc.constantFrom('orders', 'orders-abcdef', 'carts', undefined),
    created: fc.constantFrom(undefined, new Date(at).toISOString(), new Date(0).toISOString()),
    contradicts: fc.boolean(),
    equal: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(any), fc.boolean(), (candidates, isOurs) => {
      const asked = isOurs ? oursAlone : attempt;
      const found = verdict(candidates, (id) => id === 'c', asked);
      const ids = found.kind === 'one' ? [found.id] : found.kind === 'none' ? [] : found.ids;
      const names = found.kind === 'unnamed' ? [asked.request['name'], undefined] : [asked.request['name']];
      expect(ids).not.toContain('old');
      expect(ids).not.toContain('c');
      for (const id of ids) expect(candidates.some((each) => each.id === id && names.includes(each.name))).toBe(true);
    }),
  );
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

const one: Verdict = { kind: 'one', id: 'new' };
const question: Verdict = { kind: 'ambiguous', ids: ['new'] };

test.each<[string, Attempt, Partial<typeof defaultOptions>, Verdict]>([
  ['under a chosen name is a question: somebody else may have chosen it', attempt, {}, question],
  [
    'is a question still where others create, too, that this process does not see',
    attempt,
    { soleCreator: true, seesAllObjects: false },
    question,
  ],
  ['is the answer where nobody else creates anything', attempt, { soleCreator: true }, one],
  ['is the answer under a name that is ours alone', oursAlone, { seesAllObjects: false }, one],
])('one that fits %s', (_, asked, told, expected) => {
  expect(certain(asked, one, { ...defaultOptions, ...told })).toEqual(expected);
  expect(certain(asked, { kind: 'none' }, { ...defaultOptions, ...told })).toEqual({ kind: 'none' });
});
