import type { Clock } from '../../src/runtime/index.ts';

export interface HandClock extends Clock {
  /** Advances the time and runs due timers in order. Promises settle before the next timer runs. */
  advance(ms: number): Promise<void>;
  /** The same for code without promises. */
  pass(ms: number): void;
}

/** A clock that a test advances by hand. */
export function handClock(): HandClock {
  let now = 1_000_000;
  const due = new Set<{ readonly at: number; readonly run: () => void }>();
  const runNext = (end: number): boolean => {
    const [next] = [...due].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
    if (!next) return false;
    due.delete(next);
    now = Math.max(now, next.at);
    next.run();
    return true;
  };
  const clock: HandClock = {
    now: () => now,
    wallTime: () => now,
    schedule(delayMs, run) {
      const entry = { at: now + delayMs, run };
      due.add(entry);
      return { [Symbol.dispose]: () => void due.delete(entry) };
    },
    sleep: (delayMs) =>
      new Promise((resolve) => {
        clock.schedule(delayMs, resolve);
      }),
    pass(ms) {
      const end = now + ms;
      while (runNext(end));
      now = end;
    },
    async advance(ms) {
      const end = now + ms;
      await settled();
      while (runNext(end)) await settled();
      now = end;
    },
  };
  return clock;
}

/** Resolves after all pending promise callbacks have run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
