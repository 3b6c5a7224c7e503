import { afterEach, expect, test, vi } from 'vitest';
import { acceleratedClock, systemClock } from '../../../src/runtime/clock.ts';

const hourMs = 3_600_000;

afterEach(() => void vi.useRealTimers());

test.each([
  ['the clock of the system', () => systemClock],
  ['a fast clock', () => acceleratedClock(10)],
])('%s goes on as before when the wall clock is set', (_what, clockOf) => {
  const clock = clockOf();
  vi.useFakeTimers({ toFake: ['Date'] });
  const before = clock.now();
  for (const step of [-hourMs, 2 * hourMs]) {
    vi.setSystemTime(Date.now() + step);
    const passed = clock.now() - before;
    expect(passed).toBeGreaterThanOrEqual(0);
    expect(passed).toBeLessThan(hourMs / 10);
  }
});

test('a clock starts at the wall clock', () => {
  expect(Math.abs(acceleratedClock(1).now() - Date.now())).toBeLessThan(60_000);
});

test('an hour of a fast clock passes in a moment', async () => {
  const clock = acceleratedClock(100_000);
  const before = clock.now();
  await clock.sleep(hourMs);
  // A timer may fire a millisecond early, which is 100 s here.
  expect(clock.now() - before).toBeGreaterThanOrEqual(hourMs - 200_000);
});

test('a sleep ends with the reason of its abort, during it as before it', async () => {
  const reason = new Error('stopping');
  await expect(systemClock.sleep(hourMs, AbortSignal.abort(reason))).rejects.toBe(reason);
  const abort = new AbortController();
  const sleep = systemClock.sleep(hourMs, abort.signal);
  abort.abort(reason);
  await expect(sleep).rejects.toBe(reason);
});

test('a delay longer than the timers of the platform does not fire at once', async () => {
  const clock = acceleratedClock(1);
  let hasFired = false;
  const timer = clock.schedule(hourMs * 24 * 365, () => (hasFired = true));
  await clock.sleep(5);
  expect(hasFired).toBe(false);
  timer[Symbol.dispose]();
});

test('a callback that was scheduled and disposed of does not run', async () => {
  const clock = acceleratedClock(1);
  let hasRun = false;
  clock.schedule(1, () => (hasRun = true))[Symbol.dispose]();
  await clock.sleep(5);
  expect(hasRun).toBe(false);
});
