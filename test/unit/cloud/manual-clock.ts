import type { Clock } from '../../../src/cloud/clock.ts';

export interface ManualClock extends Clock {
  /** Advances time and runs the due callbacks in order; pending promises settle before the next callback. */
  advance(ms: number): Promise<void>;
  /** Moments for which something is scheduled. */
  readonly scheduled: readonly number[];
}

/** A clock that moves when the test says so. */
export function manualClock(startMs = 1_000_000): ManualClock {
  let nowMs = startMs;
  const due = new Set<{ readonly at: number; readonly run: () => void }>();
  return {
    now: () => nowMs,
    schedule(delayMs, run) {
      const entry = { at: nowMs + delayMs, run };
      due.add(entry);
      return { [Symbol.dispose]: () => void due.delete(entry) };
    },
    get scheduled() {
      return [...due].map(({ at }) => at).toSorted((a, b) => a - b);
    },
    async advance(ms) {
      const end = nowMs + ms;
      await settle();
      for (;;) {
        const [next] = [...due].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
        if (!next) break;
        due.delete(next);
        nowMs = Math.max(nowMs, next.at);
        next.run();
        await settle();
      }
      nowMs = end;
    },
  };
}

async function settle(): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
}
