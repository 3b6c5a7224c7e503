/**
 * The clock that policy goes by: polls, back-off, settle windows, resync. It is handed in, so that a test can let days pass in seconds.
 * Deadlines of the transport are none of its business: they are real time.
 *
 * It is steady: it starts at the wall clock and never jumps. When somebody sets the wall clock, the two differ until the process ends.
 */
export interface Clock {
  /** Milliseconds since the epoch, as the process counts them. Never goes back. */
  now(): number;
  /** Runs once after `delayMs`, unless disposed of before. Does not keep the process alive. */
  schedule(delayMs: number, run: () => void): Disposable;
  /** Resolves after `delayMs`. @throws the signal's reason when it aborts before */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

/** The longest delay that a timer of the platform takes; beyond it, it would fire at once. */
const longestTimerMs = 2_147_483_647;

export const systemClock: Clock = clockOf(1);

/** Starts at the real now and runs `factor` times as fast. */
export function acceleratedClock(factor: number): Clock {
  return clockOf(factor);
}

function clockOf(factor: number): Clock {
  const startedAt = Date.now();
  const steadyStart = performance.now();
  const schedule = (delayMs: number, run: () => void): Disposable => {
    const timer = setTimeout(run, Math.min(Math.max(delayMs, 0) / factor, longestTimerMs));
    timer.unref();
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  };
  return {
    now: () => startedAt + (performance.now() - steadyStart) * factor,
    schedule,
    sleep(delayMs, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(asError(signal.reason));
          return;
        }
        const abort = () => {
          timer[Symbol.dispose]();
          reject(asError(signal?.reason));
        };
        const timer = schedule(delayMs, () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        });
        signal?.addEventListener('abort', abort, { once: true });
      });
    },
  };
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
