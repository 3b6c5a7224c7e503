import { unlessAborted } from './unless-aborted.ts';

/**
 * The clock of policy, such as polls and back-off. It starts at the wall clock and never jumps. The
 * transport uses real time.
 */
export interface Clock {
  /** Milliseconds since the epoch. Never goes back. */
  now(): number;
  /**
   * The wall clock of the machine, in milliseconds since the epoch. It may jump when a person or a
   * time server sets it. Only for comparisons with times that people wrote.
   */
  wallTime(): number;
  /** Runs the function once after `delayMs`, unless disposed of before. Does not keep the process alive. */
  schedule(delayMs: number, run: () => void): Disposable;
  /**
   * Resolves after `delayMs`.
   * @throws the signal's reason when it aborts before
   */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

/** With a longer delay, a timer of Node fires at once. */
const longestTimerMs = 2_147_483_647;

/** The clock of the system: policy time passes as fast as real time. */
export const systemClock: Clock = acceleratedClock(1);

/** Makes a clock that starts at the current time and runs `factor` times as fast. */
export function acceleratedClock(factor: number): Clock {
  const startedAt = Date.now();
  const steadyStart = performance.now();
  const schedule = (delayMs: number, run: () => void): Disposable => {
    const timer = setTimeout(run, Math.min(Math.max(delayMs, 0) / factor, longestTimerMs));
    timer.unref();
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  };
  return {
    now: () => startedAt + (performance.now() - steadyStart) * factor,
    wallTime: () => startedAt + (Date.now() - startedAt) * factor,
    schedule,
    sleep(delayMs, signal) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = schedule(delayMs, resolve);
      return signal
        ? unlessAborted(promise, signal).finally(() => timer[Symbol.dispose]())
        : promise;
    },
  };
}

/** Sleeps in real time until the delay has passed or the signal aborts. Never rejects. */
export function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return systemClock.sleep(delayMs, signal).catch(() => undefined);
}

/** The delays between tries that fail, in milliseconds. */
export interface BackOff {
  /** The delay after the first failure. */
  readonly firstMs: number;
  /** The bound of the delay, before the random addition. */
  readonly longestMs: number;
  /** Largest random addition, as a part of the delay, so that clients do not try in step. Default: a quarter. */
  readonly spread?: number;
}

/**
 * The delay in milliseconds before the next try. It doubles with each failure. Pure.
 * @param failures earlier failures in a row, before the latest failure
 * @param random 0 to 1; 0 where no other client could try at the same moment
 */
export function backOffMs(
  failures: number,
  { firstMs, longestMs, spread = 0.25 }: BackOff,
  random: number,
): number {
  return Math.min(firstMs * 2 ** failures, longestMs) * (1 + random * spread);
}
