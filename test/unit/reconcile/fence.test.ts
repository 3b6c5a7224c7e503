import { afterEach, expect, test, vi } from 'vitest';
import { notFrozenSince, sendFence } from '../../../src/reconcile/act/fence.ts';
import { handClock } from '../../support/hand-clock.ts';

afterEach(() => void vi.useRealTimers());

test('a request may go for ten seconds, as both clocks tell', () => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  const mayBeSent = sendFence({ held: true });
  vi.advanceTimersByTime(9_999);
  expect(mayBeSent()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(mayBeSent()).toBe(false);
});

test.each([-20_000, 20_000])('a wall clock that was set by %d ms forbids it: the process may have slept', (byMs) => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  const mayBeSent = sendFence({ held: true });
  vi.setSystemTime(Date.now() + byMs);
  expect(mayBeSent()).toBe(false);
});

test('a wall clock that goes back meanwhile makes no request young again', () => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  const begun = Date.now();
  const mayBeSent = sendFence({ held: true });
  vi.advanceTimersByTime(11_000);
  vi.setSystemTime(begun);
  expect(mayBeSent()).toBe(false);
});

test('without the lease nothing goes, however young', () => {
  const leadership = { held: true };
  const mayBeSent = sendFence(leadership);
  expect(mayBeSent()).toBe(true);
  leadership.held = false;
  expect(mayBeSent()).toBe(false);
});

test.each([
  ['is nearly over by both clocks', 4_999, 4_999, true],
  ['is over by policy time alone: the wall clock was set back, or stood still', 5_000, 0, false],
  ['is over by the wall clock alone: the process was frozen', 0, 5_000, false],
  ['is over by a wall clock that was set back', 0, -5_000, false],
])('an answer is fresh until a short time %s', (_, policyMs, wallMs, isFresh) => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const clock = handClock();
  const isNotFrozen = notFrozenSince(clock);
  clock.pass(policyMs);
  vi.setSystemTime(Date.now() + wallMs);
  expect(isNotFrozen()).toBe(isFresh);
});
