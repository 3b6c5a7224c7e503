import type { Clock } from '../../src/runtime/index.ts';

/**
 * A clock of policy whose speed changes while it runs: the measured part runs slowly, so that a busy machine makes it
 * no later; the rest runs fast.
 */
export interface GearedClock extends Clock {
  /** How many times as fast as real time it runs. */
  readonly speed: number;
  /** Neither the time nor the schedule jumps. */
  runAt(speed: number): void;
}

interface Timer {
  readonly due: number;
  readonly run: () => void;
  handle: NodeJS.Timeout | undefined;
}

const longestTimerMs = 2_147_483_647;

export function gearedClock(first: number): GearedClock {
  let speed = first;
  let since = { policy: Date.now(), real: performance.now() };
  const timers = new Set<Timer>();
  const now = () => since.policy + (performance.now() - since.real) * speed;
  const wind = (timer: Timer) => {
    clearTimeout(timer.handle);
    const end = () => {
      timers.delete(timer);
      timer.run();
    };
    timer.handle = setTimeout(
      end,
      Math.min(Math.max(timer.due - now(), 0) / speed, longestTimerMs),
    ).unref();
  };
  const schedule = (delayMs: number, run: () => void): Disposable => {
    const timer: Timer = { due: now() + delayMs, run, handle: undefined };
    timers.add(timer);
    wind(timer);
    return {
      [Symbol.dispose]() {
        clearTimeout(timer.handle);
        timers.delete(timer);
      },
    };
  };
  return {
    now,
    wallTime: now,
    schedule,
    async sleep(delayMs, signal) {
      signal?.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const timer = schedule(delayMs, resolve);
      const abort = () =>
        reject(
          signal?.reason instanceof Error
            ? signal.reason
            : new Error('aborted', { cause: signal?.reason }),
        );
      signal?.addEventListener('abort', abort, { once: true });
      await promise.finally(() => {
        timer[Symbol.dispose]();
        signal?.removeEventListener('abort', abort);
      });
    },
    get speed() {
      return speed;
    },
    runAt(next) {
      since = { policy: now(), real: performance.now() };
      speed = next;
      for (const timer of timers) wind(timer);
    },
  };
}
