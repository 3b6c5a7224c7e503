import { backOffMs } from './clock.ts';

/**
 * Detects a loop: the same action on the same object repeats, though nothing changed. Another client undoes the action,
 * or it has no effect.
 * Callers wait before an action, and record a finished action. A failed action does not count; it has its own back-off.
 */
export interface LoopGuard {
  /**
   * Milliseconds to wait before the action `action` on `key`; 0: no wait.
   * @param situation a text that differs when the action is justified anew, such as the generation of the object
   */
  waitMs(key: string, action: string, situation: string, now: number): number;
  /** Records a finished action. */
  record(key: string, action: string, situation: string, now: number): void;
  /** Drops the record of a key. Must be called when the object is gone. */
  forget(key: string): void;
}

interface Repetitions {
  readonly situation: string;
  readonly actions: readonly Repetition[];
}

interface Repetition {
  readonly action: string;
  readonly times: number;
  readonly since: number;
  readonly notBefore: number;
}

/** So many repetitions within a minute are no loop: the cache may lag the last write. */
const freeTimes = 5;
const withinMs = 60_000;
const backOff = { firstMs: 1_000, longestMs: 300_000 };
/** A loop has fewer different actions. The bound saves memory if each action has a new text. */
const mostRemembered = 20;
/** Each record looks at so many of the oldest records: in the long run more go than come. */
const sweptAtATime = 2;

/**
 * Makes a guard without a memory of actions. Times are milliseconds of any clock that does not go
 * back.
 */
export function loopGuard(): LoopGuard {
  // The key of the latest record is at the end.
  const keys = new Map<string, Repetitions>();
  const sweep = (now: number) => {
    for (const [key, { actions }] of keys.entries().take(sweptAtATime))
      if (!actions.some((repetition) => stillCounts(repetition, now))) keys.delete(key);
  };
  const known = (key: string, situation: string): readonly Repetition[] => {
    const repetitions = keys.get(key);
    return repetitions?.situation === situation ? repetitions.actions : [];
  };
  return {
    waitMs: (key, action, situation, now) =>
      Math.max((ofAction(known(key, situation), action, now)?.notBefore ?? now) - now, 0),
    record(key, action, situation, now) {
      const actions = known(key, situation);
      const before = ofAction(actions, action, now);
      const times = (before?.times ?? 0) + 1;
      const repetition = {
        action,
        times,
        since: before?.since ?? now,
        notBefore: now + waitAfter(times),
      };
      const others = actions.filter((each) => each.action !== action).slice(1 - mostRemembered);
      keys.delete(key);
      sweep(now);
      keys.set(key, { situation, actions: [...others, repetition] });
    },
    forget: (key) => void keys.delete(key),
  };
}

function ofAction(
  actions: readonly Repetition[],
  wanted: string,
  now: number,
): Repetition | undefined {
  return actions.find((each) => each.action === wanted && stillCounts(each, now));
}

/** A few repetitions are forgotten a minute after the first; a loop, a minute after its last delay. */
function stillCounts({ times, since, notBefore }: Repetition, now: number): boolean {
  return now - (times < freeTimes ? since : notBefore) <= withinMs;
}

function waitAfter(times: number): number {
  return times < freeTimes ? 0 : backOffMs(times - freeTimes, backOff, 0);
}
