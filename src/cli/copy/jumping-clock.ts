import type { Clock } from '../../runtime/index.ts';

/** Time jumps to the next timer when nothing else can happen. */
export interface JumpingClock extends Clock {
  readonly nextAt: number | undefined;
  /** Time stands still while a read of the real cluster or cloud is under way. */
  during<T>(read: Promise<T>): Promise<T>;
  /** The result of the work. While the work only waits for time to pass, the clock jumps. */
  untilDone<T>(work: Promise<T>): Promise<T>;
  /** Jumps to this time, at most to the next timer, and runs that timer if it is due. Never goes back. */
  jump(to: number): void;
}

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** @param start milliseconds since the epoch */
export function jumpingClock(start: number): JumpingClock {
  let now = start;
  const timers = new Set<Timer>();
  const next = () => {
    let first: Timer | undefined;
    for (const timer of timers) if (!first || timer.at < first.at) first = timer;
    return first;
  };
  const schedule = (delayMs: number, run: () => void): Disposable => {
    const timer = { at: now + Math.max(delayMs, 0), run };
    timers.add(timer);
    return { [Symbol.dispose]: () => void timers.delete(timer) };
  };
  const reads = new Set<Promise<unknown>>();
  const jump = (to: number) => {
    const first = next();
    now = Math.max(now, Math.min(to, first?.at ?? to));
    if (!first || first.at > now) return;
    timers.delete(first);
    first.run();
  };
  return {
    now: () => now,
    wallTime: () => now,
    schedule,
    jump,
    async during(read) {
      reads.add(read);
      try {
        return await read;
      } finally {
        reads.delete(read);
      }
    },
    async untilDone(work) {
      let isDone = false;
      const done = work.finally(() => (isDone = true));
      done.catch(() => undefined); // the caller gets it below
      for (;;) {
        await settled();
        if (isDone) return done;
        const at = next()?.at;
        if (reads.size > 0) await Promise.race(reads).catch(() => undefined);
        else if (at !== undefined) jump(at);
      }
    },
    sleep(delayMs, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const timer = schedule(delayMs, resolve);
      signal?.addEventListener('abort', () => {
        timer[Symbol.dispose]();
        reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
      });
      return promise;
    },
    get nextAt() {
      return next()?.at;
    },
  };
}

/** Resolves after all pending promise callbacks. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
