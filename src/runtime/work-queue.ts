import type { Clock } from './clock.ts';
import { DelayedKeys } from './delayed-keys.ts';
import type { ResourceKey } from './kubernetes-object.ts';
import { ReadyKeys } from './ready-keys.ts';

/** `edit`: somebody waits for the visit. `resync`: nobody does. */
export type Priority = 'edit' | 'resync';

/** Whether a key of that group and priority may be worked now. */
export type HasRoom = (group: string, priority: Priority) => boolean;

/**
 * A queue of keys. It holds a key at most once, however often the key is added. A key is never worked twice at a time: if it is added while it is worked, it
 * comes again afterwards. A later time never replaces an earlier one.
 */
export interface WorkQueue {
  add(key: ResourceKey, priority: Priority): void;
  /** Adds the key after a delay. With `resync` nobody waits for the visit, and the queue counts as quiet in spite of it. */
  addAfter(key: ResourceKey, delayMs: number, options: { readonly priority: Priority; readonly resync: boolean }): void;
  /** The next key, edits first, that has room; undefined if there is none. The caller must call `done` afterwards. */
  take(hasRoom?: HasRoom): Taken | undefined;
  done(key: ResourceKey): void;
  /** Called when a key can be taken. */
  onReady(listener: () => void): void;
  /** No key is queued or being worked, and only resyncs are planned. */
  readonly quiet: boolean;
  readonly length: number;
  /** Real time in milliseconds that each current key has been worked so far. */
  readonly workingMs: readonly number[];
  close(): void;
}

/**
 * Observes the keys of a queue. All times are real time. A key that is added while it is worked is reported as added once, and as taken when it is
 * taken again.
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

const nobody = (): void => undefined;
const unobserved: QueueObserver = { added: nobody, taken: nobody, done: nobody };

/**
 * Creates a queue in which groups take turns: a group without free workers does not keep the others waiting. Within a group, namespaces take turns: many
 * objects of one tenant do not keep the first object of another waiting.
 * @param groupOf the group of a key; keys of one group share workers
 */
export function workQueue(clock: Clock, groupOf: (key: ResourceKey) => string = () => '', observer: QueueObserver = unobserved): WorkQueue {
  const ready = new ReadyKeys(groupOf);
  const worked = new WorkedKeys();
  let listener = nobody;
  let closed = false;

  const enter = (key: ResourceKey, priority: Priority): void => {
    if (ready.enter(key, priority)) listener();
  };
  const add = (key: ResourceKey, priority: Priority): void => {
    if (closed) return;
    const isNew = worked.has(key) ? worked.comesAgain(key, priority) : !ready.has(key);
    if (isNew) observer.added();
    if (!worked.has(key)) enter(key, priority);
  };
  const delayed = new DelayedKeys(clock, add);

  return {
    add,
    addAfter(key, delayMs, options) {
      if (closed) return;
      if (delayMs <= 0) add(key, options.priority);
      else delayed.plan(key, delayMs, options);
    },
    take(hasRoom = () => true) {
      const taken = ready.take(hasRoom);
      if (!taken) return undefined;
      observer.taken(performance.now() - taken.since);
      worked.begin(taken.key);
      // The visit that begins now answers every planned one.
      delayed.drop(taken.key);
      return taken;
    },
    done(key) {
      const { workedMs, again } = worked.end(key);
      if (workedMs !== undefined) observer.done(workedMs);
      if (again !== undefined && !closed) enter(key, again);
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

/** Keys that are being worked, and the priority of those that were added again meanwhile. */
class WorkedKeys {
  // Begin of the work, in real time.
  readonly #since = new Map<ResourceKey, number>();
  readonly #again = new Map<ResourceKey, Priority>();

  get size(): number {
    return this.#since.size;
  }

  get workingMs(): readonly number[] {
    const now = performance.now();
    return [...this.#since.values()].map((since) => now - since);
  }

  has(key: ResourceKey): boolean {
    return this.#since.has(key);
  }

  begin(key: ResourceKey): void {
    this.#since.set(key, performance.now());
  }

  /** @returns whether this is the first addition since the work began */
  comesAgain(key: ResourceKey, priority: Priority): boolean {
    const known = this.#again.get(key);
    if (known !== 'edit') this.#again.set(key, priority);
    return known === undefined;
  }

  end(key: ResourceKey): { readonly workedMs: number | undefined; readonly again: Priority | undefined } {
    const [since, again] = [this.#since.get(key), this.#again.get(key)];
    this.#since.delete(key);
    this.#again.delete(key);
    return { workedMs: since === undefined ? undefined : performance.now() - since, again };
  }
}
