import type { Hold } from './parked.ts';

/**
 * The workers of a controller: the same number for each group. A visit holds a worker while it runs, but not while it waits. Of the visits of a group only so
 * many are under way at a time: each of those that wait takes memory, and a key in the queue takes next to none.
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

/** Visits of a group that are under way at a time, waiting ones included. After a start thousands would wait for the first list. */
const mostUnderWay = 500;

/**
 * @param size workers of each group
 * @param signal after its abort, no visit waits for a worker any more
 * @param onFree called when there may be room again
 */
export function workerPool(size: number, signal: AbortSignal, onFree: () => void): WorkerPool {
  const busy = new Map<string, number>();
  const returning = new Map<string, Set<() => void>>();

  const underWay = new Map<string, number>();

  const isWorkerFree = (group: string) => (busy.get(group) ?? 0) < size;
  const take = (group: string) => void busy.set(group, (busy.get(group) ?? 0) + 1);
  const give = (group: string) => {
    const line = returning.get(group);
    const [next] = line ?? [];
    if (next) {
      next();
      return;
    }
    const left = (busy.get(group) ?? 1) - 1;
    if (left > 0) busy.set(group, left);
    else busy.delete(group);
    onFree();
  };
  /** A visit that continues comes before keys that have not begun. */
  const takeAgain = (group: string): Promise<void> => {
    if (isWorkerFree(group) || signal.aborted) {
      take(group);
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
        take(group);
        goOn();
      };
      line.add(goOn);
      signal.addEventListener('abort', goOnWithout, { once: true });
    });
  };

  return {
    hasRoom: (group) => isWorkerFree(group) && (underWay.get(group) ?? 0) < Math.max(mostUnderWay, size),
    begin(group) {
      take(group);
      underWay.set(group, (underWay.get(group) ?? 0) + 1);
      const end = () => {
        const others = (underWay.get(group) ?? 1) - 1;
        if (others > 0) underWay.set(group, others);
        else underWay.delete(group);
        onFree();
      };
      return visitHold(signal, { give: () => give(group), takeAgain: () => takeAgain(group), end });
    },
  };
}

/** The hold of one visit on its worker. The visit may give the worker back and take it again several times. */
function visitHold(
  signal: AbortSignal,
  { give, takeAgain, end }: { readonly give: () => void; readonly takeAgain: () => Promise<void>; readonly end: () => void },
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
      end();
    },
  };
}
