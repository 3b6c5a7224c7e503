import { expect, test } from 'vitest';
import { loopGuard, type LoopGuard } from '../../../src/runtime/loop-guard.ts';

const minuteMs = 60_000;
const store = (guard: LoopGuard, now: number, what = 'store', situation = '1') => guard.ask('shop/orders', what, situation, now);

/** Does it as soon as it may, until the time is up. Returns when it was done. */
function insist(guard: LoopGuard, untilMs: number, what = 'store'): number[] {
  const done: number[] = [];
  for (let now = 0; now <= untilMs;) {
    const { waitMs } = store(guard, now, what);
    if (waitMs === 0) done.push(now);
    now += Math.max(waitMs, 20);
  }
  return done;
}

test('what is done again and again is done a few times at once, then after 1 s to 5 min', () => {
  const done = insist(loopGuard(), 30 * minuteMs);
  const gaps = done.slice(1).map((at, index) => at - (done[index] ?? 0));
  expect(gaps.slice(0, 4)).toEqual([20, 20, 20, 20]);
  expect(gaps.slice(4, 14).map((gap) => Math.round(gap / 1_000))).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
});

test('it counts as a loop once it was done more than a few times, also when it may be done once more', () => {
  const guard = loopGuard();
  for (let now = 0; now < 5; now += 1) expect(store(guard, now)).toEqual({ waitMs: 0, isLooping: false });
  expect(store(guard, 5)).toEqual({ waitMs: 999, isLooping: true });
  expect(store(guard, 1_004)).toEqual({ waitMs: 0, isLooping: true });
  expect(store(guard, 1_005)).toEqual({ waitMs: 1_999, isLooping: true });
});

test.each<[string, (guard: LoopGuard, now: number) => number]>([
  ['the situation changed', (guard, now) => store(guard, now, 'store', '2').waitMs],
  ['something else is done', (guard, now) => store(guard, now, 'resize').waitMs],
  ['it is done to another object', (guard, now) => guard.ask('shop/carts', 'store', '1', now).waitMs],
  ['the object is gone', (guard, now) => (guard.forget('shop/orders'), store(guard, now).waitMs)],
  ['it was quiet for a minute', (guard, now) => store(guard, now + 17 * minuteMs).waitMs],
])('it may be done at once when %s', (_what, ask) => {
  const guard = loopGuard();
  insist(guard, 10 * minuteMs);
  expect(store(guard, 10 * minuteMs).isLooping).toBe(true);
  expect(ask(guard, 10 * minuteMs)).toBe(0);
});

test('a ring of steps backs off as one step does', () => {
  const guard = loopGuard();
  let done = 0;
  for (let now = 0; now < 10 * minuteMs; now += 20) {
    const what = done % 2 === 0 ? 'store' : 'drop';
    if (store(guard, now, what).waitMs === 0) done += 1;
  }
  expect(done).toBeLessThan(30);
});

test('what is done a few times in each minute for good reason is never kept back', () => {
  const guard = loopGuard();
  for (let now = 0; now < 60 * minuteMs; now += 16_000) expect(store(guard, now)).toEqual({ waitMs: 0, isLooping: false });
});

test('steps with a new text each time fill no memory, and do not make a loop forgotten', () => {
  const guard = loopGuard();
  insist(guard, minuteMs);
  for (let step = 0; step < 15; step += 1) store(guard, minuteMs, `step ${step}`);
  expect(store(guard, minuteMs).isLooping).toBe(true);
});
