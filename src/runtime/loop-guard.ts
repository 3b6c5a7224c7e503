import { backOffMs } from './back-off.ts';

/**
 * Notices that the same is done to the same object again and again though nothing changed: somebody undoes it, or it has no effect. Whoever is
 * about to do something asks first, waits as long as it is told to, and says when it is done. What fails is not done, and has a pace of its own.
 */
export interface LoopGuard {
  /**
   * How long `what` has to wait before it is done to `key`; 0: it may be done now.
   * @param situation whatever makes it a new thing to do, such as the generation of the object
   */
  waitMs(key: string, what: string, situation: string, now: number): number;
  /** It was done. Another situation than before forgets what was done in that. */
  did(key: string, what: string, situation: string, now: number): void;
  /** The object is gone. */
  forget(key: string): void;
}

/** What was done to one object in one situation. */
interface Doings {
  readonly situation: string;
  readonly byWhat: Map<string, Doing>;
}

interface Doing {
  readonly times: number;
  readonly since: number;
  readonly notBefore: number;
}

/** So often within a minute is no loop: what was just written may not be seen yet. */
const freeTimes = 5;
const withinMs = 60_000;
const backOff = { firstMs: 1_000, longestMs: 300_000 };
/** A ring of steps is shorter than this; what has a new text each time must not fill the memory. */
const mostRemembered = 20;

export function loopGuard(): LoopGuard {
  const keys = new Map<string, Doings>();
  return {
    waitMs(key, what, situation, now) {
      const doings = keys.get(key);
      const known = doings?.situation === situation ? stillCounts(doings.byWhat.get(what), now) : undefined;
      return Math.max((known?.notBefore ?? now) - now, 0);
    },
    did(key, what, situation, now) {
      let doings = keys.get(key);
      if (doings?.situation !== situation) {
        doings = { situation, byWhat: new Map() };
        keys.set(key, doings);
      }
      const { byWhat } = doings;
      const known = stillCounts(byWhat.get(what), now);
      const times = (known?.times ?? 0) + 1;
      // Moved to the end: a map keeps its order.
      byWhat.delete(what);
      byWhat.set(what, { times, since: known?.since ?? now, notBefore: now + waitAfter(times) });
      const [oldest] = byWhat.keys();
      if (byWhat.size > mostRemembered && oldest !== undefined) byWhat.delete(oldest);
    },
    forget: (key) => void keys.delete(key),
  };
}

/** A few times in a minute are forgotten with that minute; a loop, once it has been quiet for one. */
function stillCounts(doing: Doing | undefined, now: number): Doing | undefined {
  if (!doing) return undefined;
  const quietSince = doing.times < freeTimes ? doing.since : doing.notBefore;
  return now - quietSince > withinMs ? undefined : doing;
}

/** 0 for the first few times, then 1 s to 5 min, doubling. */
function waitAfter(times: number): number {
  return times < freeTimes ? 0 : backOffMs(times - freeTimes, backOff, 0);
}
