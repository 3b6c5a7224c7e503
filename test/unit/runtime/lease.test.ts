import { describe, expect, test } from 'vitest';
import {
  claimed,
  freeFrom,
  isOlder,
  isProven,
  knowsItsEnd,
  looksAgainAt,
  mayTake,
  observed,
  released,
  type Lease,
} from '../../../src/runtime/lease.ts';

const metadata = { name: 'operator', namespace: 'system', uid: 'u1', resourceVersion: '10' };
const spec = {
  holderIdentity: 'one',
  leaseDurationSeconds: 15,
  acquireTime: '2026-11-21T09:00:00.000000Z',
  renewTime: '2026-11-21T09:00:00.000000Z',
  leaseTransitions: 3,
};
const lease = (change: Partial<Lease['spec']> = {}, meta: Partial<Lease['metadata']> = {}): Lease => ({
  metadata: { ...metadata, ...meta },
  spec: { ...spec, ...change },
});
const seenAt = (at: number, seen = lease(), hasChanged = false) => ({ lease: seen, at, hasChanged });

describe('who may take a lease', () => {
  test.each([
    ['somebody else, a moment after its renewal', lease(), 'two', 1_000, false],
    ['somebody else, at the end of its duration', lease(), 'two', 14_999, false],
    ['somebody else, when it has run out', lease(), 'two', 15_000, true],
    ['somebody else, after as long as its holder asked for', lease({ leaseDurationSeconds: 60 }), 'two', 15_000, false],
    ['its holder, at any time', lease(), 'one', 1_000, true],
    ['anybody, once it was given back', lease({ holderIdentity: '' }), 'two', 0, true],
    ['anybody, where nobody ever held it', lease({ holderIdentity: undefined }), 'two', 0, true],
    ['anybody, where its holder asked for no time', lease({ leaseDurationSeconds: undefined }), 'two', 0, true],
  ])('%s', (_, seen, identity, afterMs, may) => {
    expect(mayTake(seenAt(500, seen), { identity }, 500 + afterMs)).toBe(may);
  });
});

const marks = (process: string) => ({ labels: {}, annotations: { process } });

describe('of two processes of one name', () => {
  const held = lease({}, { annotations: { process: 'first', note: 'x' } });
  test.each([
    ['the one that wrote its mark holds the lease', marks('first'), 1_000, true],
    ['the other waits until it has run out', marks('second'), 14_999, false],
    ['and takes it then', marks('second'), 15_000, true],
  ])('%s', (_, own, afterMs, may) => {
    expect(mayTake(seenAt(500, held), { identity: 'one', marks: own }, 500 + afterMs)).toBe(may);
  });
});

describe('a lease counts as new', () => {
  const before = seenAt(500);
  test.each([
    ['when it is seen for the first time', undefined, lease(), 9_000],
    ['when it was renewed', before, lease({ renewTime: '2026-11-21T09:00:02.000000Z' }), 9_000],
    ['when somebody else has it', before, lease({ holderIdentity: 'two' }), 9_000],
    ['when it is another of the same name', before, lease({}, { uid: 'u2' }), 9_000],
    ['but not when it was only annotated', before, lease({}, { resourceVersion: '11', annotations: { note: 'x' } }), 500],
    ['whatever time its holder wrote', before, lease({ renewTime: '1999-01-01T00:00:00.000000Z' }), 9_000],
  ])('%s', (_, known, seen, at) => {
    expect(observed(known, seen, 9_000)).toMatchObject({ lease: seen, at });
  });
});

describe('when a lease runs out is known', () => {
  const first = observed(undefined, lease(), 500);
  const annotated = observed(first, lease({}, { resourceVersion: '11', annotations: { note: 'x' } }), 600);
  const renewed = observed(annotated, lease({ renewTime: '2026-11-21T09:00:02.000000Z' }, { resourceVersion: '12' }), 700);
  test.each([
    ['not after the first look: the holder may have died long before', first, 15_499, false],
    ['not after somebody annotated it', annotated, 15_499, false],
    ['once it has run out', first, 15_500, true],
    ['from when its holder renewed it', renewed, 700, true],
    ['from then on, whatever is seen', observed(renewed, renewed.lease, 800), 800, true],
    ['at once where nobody holds it', observed(undefined, lease({ holderIdentity: '' }), 500), 500, true],
  ])('%s', (_, known, now, isKnown) => {
    expect(knowsItsEnd(known, now)).toBe(isKnown);
  });
});

describe('what a watch tells is older than what is known', () => {
  test.each([
    ['an earlier version', '9', 'u1', true],
    ['the same version', '10', 'u1', true],
    ['a later one, by number and not by text', '100', 'u1', false],
    ['another lease of the name', '9', 'u2', false],
  ])('%s', (_, resourceVersion, uid, older) => {
    expect(isOlder(lease({}, { resourceVersion, uid }), seenAt(0))).toBe(older);
  });
});

describe('whoever waits looks again', () => {
  const held = seenAt(0);
  test.each([
    ['when it is time to ask, where nothing is known', undefined, true, 5_000],
    ['when it is time to ask, where nobody watches', held, false, 5_000],
    ['when the lease runs out, where a watch would tell of a renewal', held, true, 15_000],
    ['when it is time to ask, where it was free and could not be had', seenAt(0, lease({ holderIdentity: '' })), true, 5_000],
  ])('%s', (_, known, isWatched, at) => {
    expect(looksAgainAt(known, isWatched, 3_000, 5_000)).toBe(at);
  });

  test('when the lease runs out, if that is sooner', () => {
    expect(looksAgainAt(held, false, 3_000, 20_000)).toBe(15_000);
  });
});

describe('the lease is provably held', () => {
  const asked = { steady: 1_000, wall: 50_000 };
  test.each([
    ['right after the renewal was asked for', 0, 0, true],
    ['until the deadline', 9_999, 9_999, true],
    ['not at the deadline', 10_000, 10_000, false],
    ['not when the steady clock stood still while the machine slept', 5, 3_600_000, false],
    ['not when the wall clock was set back', 10, -3_600_000, false],
    ['not when the wall clock stood still', 10_000, 0, false],
  ])('%s', (_, steady, wall, held) => {
    expect(isProven(asked, { steady: asked.steady + steady, wall: asked.wall + wall }, 10_000)).toBe(held);
  });
});

describe('the written lease', () => {
  const at = Date.parse('2026-11-21T10:00:00.250Z');
  const now = '2026-11-21T10:00:00.250000Z';
  const claim = { identity: 'two', durationMs: 15_000 };

  test('the process that takes the lease from another holder is counted as a transition', () => {
    expect(claimed(spec, claim, at)).toEqual({
      holderIdentity: 'two',
      leaseDurationSeconds: 15,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: 4,
    });
  });

  test('the first holder of the lease is not counted as a transition', () => {
    expect(claimed(undefined, claim, at)).toMatchObject({ holderIdentity: 'two', acquireTime: now, leaseTransitions: 0 });
  });

  test('a renewal of the lease keeps the time of its acquisition', () => {
    expect(claimed(spec, { ...claim, identity: 'one' }, at)).toEqual({ ...spec, renewTime: now });
  });

  test('a released lease has no holder, and is free at once', () => {
    const given = released(spec, at);
    expect(given).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 3 });
    expect(freeFrom(seenAt(9_000, lease(given)))).toBe(-Infinity);
  });

  test('a field of the lease that this version does not know stays', () => {
    expect(claimed({ ...spec, strategy: 'OldestEmulationVersion' }, claim, at)).toMatchObject({ strategy: 'OldestEmulationVersion' });
  });
});
