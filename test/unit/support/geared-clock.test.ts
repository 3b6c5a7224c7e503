import { expect, test } from 'vitest';
import { gearedClock } from '../../support/geared-clock.ts';

const hourMs = 3_600_000;

test('a timer keeps its time when the speed of the clock changes', async () => {
  const clock = gearedClock(1);
  const begun = clock.now();
  const late = clock.sleep(hourMs);
  clock.runAt(100_000);
  expect(clock.now() - begun).toBeLessThan(hourMs / 2);
  await late;
  expect(clock.now() - begun).toBeGreaterThanOrEqual(hourMs - 200_000);
  const resting = clock.now();
  clock.runAt(1);
  expect(clock.now() - resting).toBeLessThan(hourMs);
});

test('a sleep ends with the reason of its abort, and what was disposed of does not run', async () => {
  const clock = gearedClock(1);
  const reason = new Error('stopping');
  const abort = new AbortController();
  const sleep = clock.sleep(hourMs, abort.signal);
  abort.abort(reason);
  await expect(sleep).rejects.toBe(reason);
  let hasRun = false;
  clock.schedule(hourMs, () => (hasRun = true))[Symbol.dispose]();
  clock.runAt(1_000_000);
  await clock.sleep(hourMs * 2);
  expect(hasRun).toBe(false);
});
