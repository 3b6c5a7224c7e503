import type { Clock } from './clock.ts';
import { DelayedKeys } from './delayed-keys.ts';
import type { ResourceKey } from './kubernetes-object.ts';
import { ReadyKeys } from './ready-keys.ts';

/** `edit`: somebody waits for it. `resync`: nobody does. */
export type Priority = 'edit' | 'resync';

/**
 * A queue of keys. A key is in it once, however often it is added; it is never worked twice at a time; one that is added while it is worked
 * comes again afterwards. A later time never displaces an earlier one.
 */
export interface WorkQueue {
  add(key: ResourceKey, priority: Priority): void;
  /** Adds the key after a while. `resync`: a visit that nobody waits for, which does not keep the queue from being quiet. */
  addAfter(key: ResourceKey, delayMs: number, options: { readonly priority: Priority; readonly resync: boolean }): void;
  /** The next key, edits first, of a group that has room; undefined when there is none now. Has to be followed by `done`. */
  take(hasRoom?: (group: string) => boolean): Taken | undefined;
  done(key: ResourceKey): void;
  /** Called when there is something to take. */
  onReady(listener: () => void): void;
  /** Nothing to take, nothing being worked, nothing to come but resyncs. */
  readonly quiet: boolean;
  readonly length: number;
  /** For each key that is being worked, since when; milliseconds of real time. */
  readonly workingMs: readonly number[];
  close(): void;
}

/** Told of what goes through a queue, in real time. A key that is added while it is worked was added once, and counts again when it is taken. */
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
 * Within a group, namespaces take turns: many objects of one tenant do not keep the first of another waiting.
 * @param groupOf keys of one group share room; groups take turns, so that one which is full does not keep the others waiting
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
      // Whatever was planned for later is answered by the visit that begins now.
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

/** Keys that are worked now, and what came for them meanwhile. */
class WorkedKeys {
  // Since when, in real time.
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

  /** @returns whether nothing had come for it yet */
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
