/**
 * Notices that the same is done to the same object again and again though nothing changed: somebody undoes it, or it has no effect. Whoever is
 * about to do something asks first, and waits as long as it is told to.
 */
export interface LoopGuard {
  /**
   * Asked right before `what` is done to `key`; unless it has to wait, it counts as done.
   * @param situation whatever makes it a new thing to do, such as the generation of the object: a different text forgets what was done before
   */
  ask(key: string, what: string, situation: string, now: number): Verdict;
  /** The object is gone. */
  forget(key: string): void;
}

export interface Verdict {
  /** How long it has to wait; 0: it may be done now. */
  readonly waitMs: number;
  /** It was done more than a few times already, to no end: true also when it may be done once more. */
  readonly isLooping: boolean;
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

/** So often within a minute is no loop: steps that were overtaken are done again. */
const freeTimes = 5;
const withinMs = 60_000;
const firstWaitMs = 1_000;
const longestWaitMs = 300_000;
/** A ring of steps is shorter than this; what has a new text each time must not fill the memory. */
const mostRemembered = 20;

export function loopGuard(): LoopGuard {
  const keys = new Map<string, Doings>();
  return {
    ask(key, what, situation, now) {
      let doings = keys.get(key);
      if (doings?.situation !== situation) {
        doings = { situation, byWhat: new Map() };
        keys.set(key, doings);
      }
      const { byWhat } = doings;
      const known = stillCounts(byWhat.get(what), now);
      const isLooping = (known?.times ?? 0) >= freeTimes;
      if (known && known.notBefore > now) return { waitMs: known.notBefore - now, isLooping };
      const times = (known?.times ?? 0) + 1;
      // Moved to the end: a map keeps its order.
      byWhat.delete(what);
      byWhat.set(what, { times, since: known?.since ?? now, notBefore: now + waitAfter(times) });
      const [oldest] = byWhat.keys();
      if (byWhat.size > mostRemembered && oldest !== undefined) byWhat.delete(oldest);
      return { waitMs: 0, isLooping };
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
  return times < freeTimes ? 0 : Math.min(firstWaitMs * 2 ** (times - freeTimes), longestWaitMs);
}
