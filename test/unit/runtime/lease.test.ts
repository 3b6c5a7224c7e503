import { describe, expect, test } from 'vitest';
import {
  claimed,
  freeFrom,
  isProven,
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
const lease = (
  change: Partial<Lease['spec']> = {},
  meta: Partial<Lease['metadata']> = {},
): Lease => ({
  metadata: { ...metadata, ...meta },
  spec: { ...spec, ...change },
});
const seenAt = (at: number, seen = lease()) => ({ lease: seen, at });

describe('a process may take a lease exactly as the table says:', () => {
  test.each([
    ['not a second process, a moment after the renewal', lease(), 'two', 1_000, false],
    ['not a second process, in the last moment of the duration', lease(), 'two', 14_999, false],
    ['a second process, after the lease has run out', lease(), 'two', 15_000, true],
    [
      'not a second process, before the longer duration of the holder is over',
      lease({ leaseDurationSeconds: 60 }),
      'two',
      15_000,
      false,
    ],
    ['the holder, at any time', lease(), 'one', 1_000, true],
    [
      'a second process, after the holder released the lease',
      lease({ holderIdentity: '' }),
      'two',
      0,
      true,
    ],
    [
      'a second process, if the lease never had a holder',
      lease({ holderIdentity: undefined }),
      'two',
      0,
      true,
    ],
    [
      'a second process, if the lease has no duration',
      lease({ leaseDurationSeconds: undefined }),
      'two',
      0,
      true,
    ],
  ])('%s', (_, seen, identity, afterMs, may) => {
    expect(mayTake(seenAt(500, seen), { identity }, 500 + afterMs)).toBe(may);
  });
});

const marks = (process: string) => ({ labels: {}, annotations: { process } });

describe('of two processes with the same name,', () => {
  const held = lease({}, { annotations: { process: 'first', note: 'x' } });
  test.each([
    ['the process whose mark is on the lease may renew the lease', marks('first'), 1_000, true],
    [
      'the process without a mark on the lease waits until the lease has run out',
      marks('second'),
      14_999,
      false,
    ],
    [
      'the process without a mark on the lease takes the lease once the lease has run out',
      marks('second'),
      15_000,
      true,
    ],
  ])('%s', (_, own, afterMs, may) => {
    expect(mayTake(seenAt(500, held), { identity: 'one', marks: own }, 500 + afterMs)).toBe(may);
  });
});

describe('the observation time of a lease', () => {
  const before = seenAt(500);
  test.each([
    ['is the time of the first look', undefined, lease(), 9_000],
    [
      'moves on if the holder renewed the lease',
      before,
      lease({ renewTime: '2026-11-21T09:00:02.000000Z' }),
      9_000,
    ],
    ['moves on if the lease has a new holder', before, lease({ holderIdentity: 'two' }), 9_000],
    ['moves on if the lease was recreated', before, lease({}, { uid: 'u2' }), 9_000],
    [
      'stays if the lease was only annotated',
      before,
      lease({}, { resourceVersion: '11', annotations: { note: 'x' } }),
      500,
    ],
    [
      'moves on with a renewal, even if the holder wrote a time in the past',
      before,
      lease({ renewTime: '1999-01-01T00:00:00.000000Z' }),
      9_000,
    ],
  ])('%s', (_, known, seen, at) => {
    expect(observed(known, seen, 9_000)).toEqual({ lease: seen, at });
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
    expect(
      isProven(asked, { steady: asked.steady + steady, wall: asked.wall + wall }, 10_000),
    ).toBe(held);
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
    expect(claimed(undefined, claim, at)).toMatchObject({
      holderIdentity: 'two',
      acquireTime: now,
      leaseTransitions: 0,
    });
  });

  test('a renewal of the lease keeps the time of its acquisition', () => {
    expect(claimed(spec, { ...claim, identity: 'one' }, at)).toEqual({ ...spec, renewTime: now });
  });

  test('a released lease has no holder, and is free at once', () => {
    const given = released(spec, at);
    expect(given).toMatchObject({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      leaseTransitions: 3,
    });
    expect(freeFrom(seenAt(9_000, lease(given)))).toBe(-Infinity);
  });

  test('a field of the lease that the operator does not know stays', () => {
    expect(claimed({ ...spec, strategy: 'OldestEmulationVersion' }, claim, at)).toMatchObject({
      strategy: 'OldestEmulationVersion',
    });
  });
});
