import type { Hold } from './parked.ts';
import type { Priority } from './work-queue.ts';

/**
 * The workers of a controller: the same number for each group. A visit holds a worker while it runs, but not while it waits. Visits that return from a wait
 * come before those of the same priority that have not begun.
 */
export interface WorkerPool {
  hasRoom(group: string, priority: Priority): boolean;
  /** Begins a visit. There must be room. */
  begin(group: string, priority: Priority): VisitHold;
}

export interface VisitHold extends Hold {
  /** Ends the visit. */
  end(): void;
}

const priorities = ['edit', 'resync'] as const satisfies readonly Priority[];

/**
 * Resyncs have this part of a group's workers, and at least one. An edit takes turns with each visit that runs, so it takes as many times as long as there are
 * such visits. Edits may have all workers.
 */
const resyncPart = 1 / 8;

/**
 * Visits of a priority that are under way at a time, waiting ones included; each group may have as many as workers in any case, so that none keeps another from
 * working. After a start thousands would wait for the first lists: each takes memory, and a key in the queue takes next to none.
 */
const mostUnderWay = 500;

/**
 * @param size workers of each group
 * @param signal after its abort, no visit waits for a worker any more
 * @param onFree called when there may be room again
 */
export function workerPool(size: number, signal: AbortSignal, onFree: () => void): WorkerPool {
  const most: Counts = { edit: size, resync: Math.max(1, Math.floor(size * resyncPart)) };
  const groups = new Map<string, Group>();
  const underWay: Counts = { edit: 0, resync: 0 };

  const isFree = ({ busy }: Group, priority: Priority) => busy.edit + busy.resync < size && busy[priority] < most[priority];
  const handOut = (group: Group) => {
    for (const priority of priorities) {
      for (const visit of group.returning[priority]) {
        if (!isFree(group, priority) && !signal.aborted) break;
        visit.goOn();
      }
    }
    if (group.underWay.edit + group.underWay.resync === 0) groups.delete(group.name);
    onFree();
  };
  const pool: Pool = { signal, underWay, handOut };
  signal.addEventListener('abort', () => [...groups.values()].forEach(handOut), { once: true });

  return {
    hasRoom(name, priority) {
      const group = groups.get(name) ?? new Group(name);
      return isFree(group, priority) && (underWay[priority] < mostUnderWay || group.underWay[priority] < size);
    },
    begin(name, priority) {
      const group = groups.get(name) ?? new Group(name);
      groups.set(name, group);
      return new Visit(group, priority, pool);
    },
  };
}

type Counts = Record<Priority, number>;

class Group {
  readonly name: string;
  /** Visits with a worker. */
  readonly busy: Counts = { edit: 0, resync: 0 };
  readonly underWay: Counts = { edit: 0, resync: 0 };
  /** Visits that want a worker again, the first one first. */
  readonly returning: Readonly<Record<Priority, Set<Visit>>> = { edit: new Set(), resync: new Set() };

  constructor(name: string) {
    this.name = name;
  }
}

interface Pool {
  readonly signal: AbortSignal;
  readonly underWay: Counts;
  /** Gives free workers to visits that return, then to keys that have not begun. */
  readonly handOut: (group: Group) => void;
}

/** The hold of one visit on its worker. The visit may give the worker back and take it again several times. */
class Visit implements VisitHold {
  readonly signal: AbortSignal;
  readonly #group: Group;
  readonly #pool: Pool;
  #priority: Priority;
  #isHeld = false;
  #hasEnded = false;
  // A visit may have several waits at a time. It continues after the last one, so it needs no worker before.
  #waits = 0;
  #comingBack: PromiseWithResolvers<void> | undefined;

  constructor(group: Group, priority: Priority, pool: Pool) {
    [this.signal, this.#group, this.#pool, this.#priority] = [pool.signal, group, pool, priority];
    this.#count(1);
    this.#take();
  }

  leave(): void {
    this.#waits += 1;
    this.#letGo();
  }

  async comeBack(): Promise<void> {
    this.#waits -= 1;
    if (this.#hasEnded || this.#waits > 0 || this.#isHeld) return;
    this.#comingBack ??= Promise.withResolvers();
    const { promise } = this.#comingBack;
    this.#group.returning[this.#priority].add(this);
    this.#pool.handOut(this.#group);
    await promise;
  }

  goOn(): void {
    this.#group.returning[this.#priority].delete(this);
    this.#comingBack?.resolve();
    this.#comingBack = undefined;
    if (!this.#hasEnded && this.#waits === 0) this.#take();
  }

  hurry(): void {
    if (this.#priority === 'edit' || this.#hasEnded) return;
    const wasHeld = this.#isHeld;
    const isReturning = this.#group.returning.resync.delete(this);
    if (wasHeld) this.#group.busy.resync -= 1;
    this.#count(-1);
    this.#priority = 'edit';
    this.#count(1);
    if (wasHeld) this.#group.busy.edit += 1;
    if (isReturning) this.#group.returning.edit.add(this);
    this.#pool.handOut(this.#group);
  }

  end(): void {
    this.#hasEnded = true;
    this.#count(-1);
    this.#letGo();
    this.#pool.handOut(this.#group);
  }

  #take(): void {
    this.#isHeld = true;
    this.#group.busy[this.#priority] += 1;
  }

  #letGo(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#group.busy[this.#priority] -= 1;
    this.#pool.handOut(this.#group);
  }

  #count(by: number): void {
    this.#group.underWay[this.#priority] += by;
    this.#pool.underWay[this.#priority] += by;
  }
}
