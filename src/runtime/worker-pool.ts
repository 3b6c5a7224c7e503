import type { Hold } from './parked.ts';

/**
 * The workers of a controller: the same number for each group. A visit holds a worker while it runs, but not while it waits. Only so
 * many visits are under way at a time: each of those that wait takes memory, and a key in the queue takes next to none.
 */
export interface WorkerPool {
  hasRoom(group: string): boolean;
  /** Begins a visit. There must be room. */
  begin(group: string): VisitHold;
}

export interface VisitHold extends Hold {
  /** Ends the visit. */
  end(): void;
}

/**
 * Visits that are under way at a time, waiting ones included; each group may have as many as workers in any case, so that none keeps another from working.
 * After a start thousands would wait for the first lists. Those that return from a wait come first, so that an edit waits for them, too.
 */
const mostUnderWay = 500;

/**
 * @param size workers of each group
 * @param signal after its abort, no visit waits for a worker any more
 * @param onFree called when there may be room again
 */
export function workerPool(size: number, signal: AbortSignal, onFree: () => void): WorkerPool {
  const busy = new Counts();
  const underWay = new Counts();
  const returning = new Map<string, Set<() => void>>();

  const isWorkerFree = (group: string) => busy.of(group) < size;
  const give = (group: string) => {
    const line = returning.get(group);
    const [next] = line ?? [];
    if (next) {
      next();
      return;
    }
    busy.remove(group);
    onFree();
  };
  /** A visit that continues comes before keys that have not begun. */
  const takeAgain = (group: string): Promise<void> => {
    if (isWorkerFree(group) || signal.aborted) {
      busy.add(group);
      return Promise.resolve();
    }
    const line = returning.get(group) ?? new Set();
    returning.set(group, line);
    return new Promise((resolve) => {
      // The worker passes from one visit to the next, so the number of busy workers stays.
      const goOn = () => {
        line.delete(goOn);
        if (line.size === 0) returning.delete(group);
        signal.removeEventListener('abort', goOnWithout);
        resolve();
      };
      const goOnWithout = () => {
        busy.add(group);
        goOn();
      };
      line.add(goOn);
      signal.addEventListener('abort', goOnWithout, { once: true });
    });
  };

  return {
    hasRoom: (group) => isWorkerFree(group) && (underWay.all < mostUnderWay || underWay.of(group) < size),
    begin(group) {
      busy.add(group);
      underWay.add(group);
      const makeRoom = () => {
        underWay.remove(group);
        onFree();
      };
      return visitHold(signal, { give: () => give(group), takeAgain: () => takeAgain(group), makeRoom });
    },
  };
}

class Counts {
  readonly #counts = new Map<string, number>();
  all = 0;

  of(group: string): number {
    return this.#counts.get(group) ?? 0;
  }

  add(group: string): void {
    this.#counts.set(group, this.of(group) + 1);
    this.all += 1;
  }

  remove(group: string): void {
    const left = this.of(group) - 1;
    if (left > 0) this.#counts.set(group, left);
    else this.#counts.delete(group);
    this.all -= 1;
  }
}

/** The hold of one visit on its worker. The visit may give the worker back and take it again several times. */
function visitHold(
  signal: AbortSignal,
  { give, takeAgain, makeRoom }: { readonly give: () => void; readonly takeAgain: () => Promise<void>; readonly makeRoom: () => void },
): VisitHold {
  let isHeld = true;
  let hasEnded = false;
  // A visit may have several waits at a time. It continues after the last one, so it needs no worker before.
  let waits = 0;
  let comingBack: Promise<void> | undefined;
  const letGo = () => {
    if (!isHeld) return;
    isHeld = false;
    give();
  };
  const takeBack = async () => {
    await takeAgain();
    isHeld = true;
    comingBack = undefined;
    if (hasEnded || waits > 0) letGo();
  };
  return {
    signal,
    leave() {
      waits += 1;
      letGo();
    },
    async comeBack() {
      waits -= 1;
      if (hasEnded || waits > 0 || isHeld) return;
      comingBack ??= takeBack();
      await comingBack;
    },
    end() {
      hasEnded = true;
      letGo();
      makeRoom();
    },
  };
}
