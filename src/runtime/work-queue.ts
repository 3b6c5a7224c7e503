import type { Clock } from './clock.ts';
import { DelayedKeys } from './delayed-keys.ts';
import type { ResourceKey } from './kubernetes-object.ts';
import { ReadyKeys } from './ready-keys.ts';

/** The class of a key. `edit`: a user changed the object, or waits for it. `resync`: no user waits. */
export type Priority = 'edit' | 'resync';

/**
 * A queue of keys. It holds a key at most once, however often the key is added. A key that is added during its work
 * comes again afterwards, never twice at a time. A later time never replaces an earlier time.
 */
export interface WorkQueue {
  add(key: ResourceKey, priority: Priority): void;
  /** With `resync`, the queue still counts as quiet. */
  addAfter(key: ResourceKey, delayMs: number, options: { readonly priority: Priority; readonly resync: boolean }): void;
  /** The next key with a free slot, edits first. It keeps its class and its slot until `done`. */
  take(): Taken | undefined;
  /** Every key that was taken must end. */
  done(key: ResourceKey): void;
  /** Called when a key can be taken. */
  onReady(listener: () => void): void;
  /** No key is queued or being worked, and only resyncs are planned. */
  readonly quiet: boolean;
  readonly length: number;
  /** Real time in milliseconds of the work at each current key. */
  readonly workingMs: readonly number[];
  close(): void;
}

/**
 * Observes the keys of a queue, in real time. A key that is added during its work is reported as added once. It is
 * reported as taken at the next `take`.
 */
export interface QueueObserver {
  added(): void;
  taken(waitedMs: number): void;
  done(workedMs: number): void;
}

export interface Taken {
  readonly key: ResourceKey;
  readonly priority: Priority;
  readonly group: string;
}

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** Keys of each class that are worked at a time, in each group. No class takes a slot of the other. */
  readonly slots: Readonly<Record<Priority, number>>;
  /** Each group has its own slots. Default: a single group. */
  readonly groupOf?: ((key: ResourceKey) => string) | undefined;
  readonly observer?: QueueObserver | undefined;
}

const nothing = (): void => undefined;
const unobserved: QueueObserver = { added: nothing, taken: nothing, done: nothing };

/**
 * Creates a queue. Groups take turns, and a group without a free slot does not delay other groups. Within a group
 * namespaces take turns: many objects of a tenant do not delay another tenant's first object.
 */
export function workQueue({ clock, slots, groupOf = () => '', observer = unobserved }: WorkQueueOptions): WorkQueue {
  const ready = new ReadyKeys(groupOf);
  const worked = new WorkedKeys();
  let listener = nothing;
  let closed = false;

  const add = (key: ResourceKey, priority: Priority): void => {
    if (closed) return;
    const isNew = worked.has(key) ? worked.comesAgain(key, priority) : !ready.has(key);
    if (isNew) observer.added();
    if (!worked.has(key) && ready.enter(key, priority)) listener();
  };
  const delayed = new DelayedKeys(clock, add);

  return {
    add,
    addAfter(key, delayMs, options) {
      if (closed) return;
      if (delayMs <= 0) add(key, options.priority);
      else delayed.plan(key, delayMs, options);
    },
    take() {
      const taken = ready.take((priority, group) => worked.count(priority, group) < slots[priority]);
      if (!taken) return undefined;
      observer.taken(performance.now() - taken.since);
      worked.begin(taken);
      // The visit that begins now serves every planned visit.
      delayed.drop(taken.key);
      return taken;
    },
    done(key) {
      const ended = worked.end(key);
      if (!ended) return;
      observer.done(performance.now() - ended.since);
      if (ended.again !== undefined && !closed) ready.enter(key, ended.again);
      listener();
    },
    onReady(next) {
      listener = next;
    },
    get quiet() {
      return ready.size === 0 && worked.size === 0 && delayed.areResyncs;
    },
    get length() {
      return ready.size;
    },
    get workingMs() {
      return worked.workingMs;
    },
    close() {
      closed = true;
      delayed.clear();
      ready.clear();
    },
  };
}

interface Work extends Taken {
  /** Begin, in real time. */
  readonly since: number;
  /** The class in which the key was added again meanwhile. */
  again?: Priority;
}

/** Keys that are being worked, with their slots. */
class WorkedKeys {
  readonly #works = new Map<ResourceKey, Work>();
  readonly #taken: Readonly<Record<Priority, Map<string, number>>> = { edit: new Map(), resync: new Map() };

  get size(): number {
    return this.#works.size;
  }

  get workingMs(): readonly number[] {
    const now = performance.now();
    return [...this.#works.values()].map(({ since }) => now - since);
  }

  count(priority: Priority, group: string): number {
    return this.#taken[priority].get(group) ?? 0;
  }

  has(key: ResourceKey): boolean {
    return this.#works.has(key);
  }

  begin({ key, priority, group }: Taken): void {
    this.#works.set(key, { key, priority, group, since: performance.now() });
    this.#taken[priority].set(group, this.count(priority, group) + 1);
  }

  /** @returns whether this is the first addition since the work began */
  comesAgain(key: ResourceKey, priority: Priority): boolean {
    const work = this.#works.get(key);
    if (!work) return false;
    const isFirst = work.again === undefined;
    if (work.again !== 'edit') work.again = priority;
    return isFirst;
  }

  end(key: ResourceKey): Work | undefined {
    const work = this.#works.get(key);
    if (!work) return undefined;
    this.#works.delete(key);
    const { priority, group } = work;
    const left = this.count(priority, group) - 1;
    if (left > 0) this.#taken[priority].set(group, left);
    else this.#taken[priority].delete(group);
    return work;
  }
}
