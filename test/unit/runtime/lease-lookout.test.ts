import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Connection } from '../../../src/runtime/connection.ts';
import { leaseLookout, type LeaseLookout } from '../../../src/runtime/lease-lookout.ts';

const retryPeriodMs = 2_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const away = (): Promise<never> => Promise.reject(new Error('the API server is away'));

/** The lookout of a process that nothing reaches, and when it asked for a watch. */
function lookoutOf(random: () => number): { readonly lookout: LeaseLookout; readonly askedAt: readonly number[] } {
  const askedAt: number[] = [];
  const connection: Connection = {
    server: new URL('http://127.0.0.1'),
    calls: away,
    watches() {
      askedAt.push(performance.now());
      return away();
    },
    distrust: () => undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const lookout = leaseLookout({ connection, namespace: 'system', name: 'operator', identity: 'two', retryPeriodMs, random });
  return { lookout, askedAt };
}

type Wait = (lookout: LeaseLookout, signal: AbortSignal) => Promise<void>;

const waits: readonly (readonly [sentence: string, wait: Wait])[] = [
  ['after a request for the lease that failed', (lookout, signal) => lookout.untilWorthATry(false, signal)],
  ['while another process holds the lease and there is no watch', (lookout, signal) => lookout.untilWorthATry(true, signal)],
];

test.each(waits)('%s, each standby process asks again at a time of its own, from one to 2.2 periods later', async (_, wait) => {
  const waited = async (chance: number) => {
    const begunAt = performance.now();
    const ended = wait(lookoutOf(() => chance).lookout, new AbortController().signal).then(() => performance.now() - begunAt);
    await vi.runAllTimersAsync();
    return Math.round(await ended);
  };
  expect([await waited(0), await waited(0.5), await waited(1)]).toEqual([2_000, 3_200, 4_400]);
});

test('a watch that breaks is begun again at a time of its own, drawn anew each time', async () => {
  let chance = 0;
  const { lookout, askedAt } = lookoutOf(() => chance);
  const ending = new AbortController();
  const ended = lookout.follow(ending.signal);
  await vi.advanceTimersByTimeAsync(0);
  for (chance of [0.5, 1]) await vi.advanceTimersToNextTimerAsync();
  ending.abort();
  await ended;
  expect(askedAt.map((at) => Math.round(at - (askedAt[0] ?? 0)))).toEqual([0, 2_000, 5_200]);
});
