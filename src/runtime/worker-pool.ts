import type { Hold } from './parked.ts';

/** The workers of a controller: some for each group, which visits hold while they run, and not while they wait. */
export interface WorkerPool {
  hasRoom(group: string): boolean;
  /** A visit begins. There has to be room. */
  begin(group: string): VisitHold;
}

export interface VisitHold extends Hold {
  /** The visit is over. */
  end(): void;
}

/**
 * @param size workers of each group
 * @param signal from when it aborts, nobody waits for a worker any more
 * @param onFree called when there is room that nobody came back for
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
  /** Whoever comes back goes before those who have not begun. */
  const takeAgain = (group: string): Promise<void> => {
    if (hasRoom(group) || signal.aborted) {
      take(group);
      return Promise.resolve();
    }
    const line = returning.get(group) ?? new Set();
    returning.set(group, line);
    return new Promise((resolve) => {
      // The worker of somebody else changes hands: it stays busy.
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

/** A worker that is held now, until it is given; it may be taken again in between. */
function visitHold(
  signal: AbortSignal,
  { give, takeAgain }: { readonly give: () => void; readonly takeAgain: () => Promise<void> },
): VisitHold {
  let isHeld = true;
  let hasEnded = false;
  // Of several waits at a time the visit goes on with the last; until then no worker is needed for the others.
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
