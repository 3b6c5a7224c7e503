import { backOffMs } from './back-off.ts';

/**
 * Detects a loop: the same action on the same object again and again, though nothing changed. Somebody undoes the action, or it has no effect.
 * Callers ask for the delay before an action, and report a finished action. A failed action does not count; it has a back-off of its own.
 */
export interface LoopGuard {
  /**
   * Milliseconds to wait before the action `action` on `key`; 0: no wait.
   * @param situation a text that differs when the action is justified anew, such as the generation of the object
   */
  waitMs(key: string, action: string, situation: string, now: number): number;
  /** Reports a finished action. A new situation forgets the actions of the previous one. */
  record(key: string, action: string, situation: string, now: number): void;
  /** Must be called when the object is gone. */
  forget(key: string): void;
}

/** Actions on one object in one situation. */
interface Repetitions {
  readonly situation: string;
  readonly byAction: Map<string, Repetition>;
}

interface Repetition {
  readonly times: number;
  readonly since: number;
  readonly notBefore: number;
}

/** So many repetitions within a minute are no loop: the object may not have been observed since the last write. */
const freeTimes = 5;
const withinMs = 60_000;
const backOff = { firstMs: 1_000, longestMs: 300_000 };
/** A loop has fewer different actions. The bound saves memory if each action has a new text. */
const mostRemembered = 20;

export function loopGuard(): LoopGuard {
  const keys = new Map<string, Repetitions>();
  return {
    waitMs(key, action, situation, now) {
      const repetitions = keys.get(key);
      const known = repetitions?.situation === situation ? stillCounts(repetitions.byAction.get(action), now) : undefined;
      return Math.max((known?.notBefore ?? now) - now, 0);
    },
    record(key, action, situation, now) {
      let repetitions = keys.get(key);
      if (repetitions?.situation !== situation) {
        repetitions = { situation, byAction: new Map() };
        keys.set(key, repetitions);
      }
      const { byAction } = repetitions;
      const known = stillCounts(byAction.get(action), now);
      const times = (known?.times ?? 0) + 1;
      // A map keeps its order, so this moves the entry to the end.
      byAction.delete(action);
      byAction.set(action, { times, since: known?.since ?? now, notBefore: now + waitAfter(times) });
      const [oldest] = byAction.keys();
      if (byAction.size > mostRemembered && oldest !== undefined) byAction.delete(oldest);
    },
    forget: (key) => void keys.delete(key),
  };
}

/** A few repetitions are forgotten a minute after the first; a loop, a minute after its last delay. */
function stillCounts(repetition: Repetition | undefined, now: number): Repetition | undefined {
  if (!repetition) return undefined;
  const quietSince = repetition.times < freeTimes ? repetition.since : repetition.notBefore;
  return now - quietSince > withinMs ? undefined : repetition;
}

/** 0 for the first few times, then 1 s to 5 min, doubling. */
function waitAfter(times: number): number {
  return times < freeTimes ? 0 : backOffMs(times - freeTimes, backOff, 0);
}
