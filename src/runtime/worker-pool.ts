import type { Hold } from './parked.ts';

/** The workers of a controller: the same number for each group. A visit holds a worker while it runs, but not while it waits. */
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
 * @param size workers of each group
 * @param signal after its abort, no visit waits for a worker any more
 * @param onFree called when a worker is free and no visit waits for it
 */
export function workerPool(size: number, signal: AbortSignal, onFree: () => void): WorkerPool {
  const busy = new Map<string, number>();
  const returning = new Map<string, Set<() => void>>();

  const hasRoom = (group: string) => (busy.get(group) ?? 0) < size;
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
    if (hasRoom(group) || signal.aborted) {
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
    hasRoom,
    begin(group) {
      take(group);
      return visitHold(signal, { give: () => give(group), takeAgain: () => takeAgain(group) });
    },
  };
}

/** The hold of one visit on its worker. The visit may give the worker back and take it again several times. */
function visitHold(
  signal: AbortSignal,
  { give, takeAgain }: { readonly give: () => void; readonly takeAgain: () => Promise<void> },
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
    },
  };
}
