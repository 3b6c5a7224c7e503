import { expect, test } from 'vitest';
import { loopGuard, type LoopGuard } from '../../../src/runtime/loop-guard.ts';

const minuteMs = 60_000;
/** Does it, if it may be done. Returns how long it has to wait. */
function store(
  guard: LoopGuard,
  now: number,
  what = 'store',
  situation = '1',
  key = 'shop/orders',
): number {
  const waitMs = guard.waitMs(key, what, situation, now);
  if (waitMs === 0) guard.record(key, what, situation, now);
  return waitMs;
}

/** Does it as soon as it may, until the time is up. Returns when it was done. */
function insist(guard: LoopGuard, untilMs: number, what = 'store'): number[] {
  const done: number[] = [];
  for (let now = 0; now <= untilMs;) {
    const waitMs = store(guard, now, what);
    if (waitMs === 0) done.push(now);
    now += Math.max(waitMs, 20);
  }
  return done;
}

test('a repeated step runs a few times at once, then after 1 s to 5 min', () => {
  const done = insist(loopGuard(), 30 * minuteMs);
  const gaps = done.slice(1).map((at, index) => at - (done[index] ?? 0));
  expect(gaps.slice(0, 4)).toEqual([20, 20, 20, 20]);
  expect(gaps.slice(4, 14).map((gap) => Math.round(gap / 1_000))).toEqual([
    1, 2, 4, 8, 16, 32, 64, 128, 256, 300,
  ]);
});

test('a step that is requested and not done does not count, and the steps done before still do', () => {
  const guard = loopGuard();
  for (let now = 0; now < 100; now += 1)
    expect(guard.waitMs('shop/orders', 'store', '1', now)).toBe(0);
  for (let now = 0; now < 5; now += 1) expect(store(guard, now)).toBe(0);
  expect(guard.waitMs('shop/orders', 'store', '1', 5)).toBe(999);
  expect(guard.waitMs('shop/orders', 'store', '1', 1_005)).toBe(0);
  expect(store(guard, 1_005)).toBe(0);
  expect(store(guard, 1_006)).toBe(1_999);
});

test.each<[string, (guard: LoopGuard, now: number) => number]>([
  ['the situation changed', (guard, now) => store(guard, now, 'store', '2')],
  ['the step is a different step', (guard, now) => store(guard, now, 'resize')],
  [
    'the step is for a second object',
    (guard, now) => store(guard, now, 'store', '1', 'shop/carts'),
  ],
  ['the object was deleted', (guard, now) => (guard.forget('shop/orders'), store(guard, now))],
  [
    'no step was repeated for a minute beyond the back-off',
    (guard, now) => store(guard, now + 17 * minuteMs),
  ],
])('a step that is held back may run at once when %s', (_what, ask) => {
  const guard = loopGuard();
  insist(guard, 10 * minuteMs);
  expect(store(guard, 10 * minuteMs)).toBeGreaterThan(0);
  expect(ask(guard, 10 * minuteMs)).toBe(0);
});

test('a ring of steps backs off as one step does', () => {
  const guard = loopGuard();
  let done = 0;
  for (let now = 0; now < 10 * minuteMs; now += 20) {
    const what = done % 2 === 0 ? 'store' : 'drop';
    if (store(guard, now, what) === 0) done += 1;
  }
  expect(done).toBeLessThan(30);
});

test('a step that runs a few times in each minute is never delayed', () => {
  const guard = loopGuard();
  for (let now = 0; now < 60 * minuteMs; now += 16_000) expect(store(guard, now)).toBe(0);
});

test('steps with a new text each time fill no memory, and do not make a loop forgotten', () => {
  const guard = loopGuard();
  insist(guard, minuteMs);
  for (let step = 0; step < 15; step += 1) store(guard, minuteMs, `step ${step}`);
  expect(store(guard, minuteMs)).toBeGreaterThan(0);
});
