import type { Clock } from './clock.ts';
import { parseKey, type ResourceKey } from './kubernetes-object.ts';
import { Turns } from './turns.ts';

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

interface Delayed {
  readonly at: number;
  readonly priority: Priority;
  readonly resync: boolean;
  readonly timer: Disposable;
}

interface Place {
  readonly priority: Priority;
  readonly group: string;
  /** Real time. */
  readonly since: number;
}

const nobody = (): void => undefined;
const unobserved: QueueObserver = { added: nobody, taken: nobody, done: nobody };

/**
 * Within a group, namespaces take turns: many objects of one tenant do not keep the first of another waiting.
 * @param groupOf keys of one group share room; groups take turns, so that one which is full does not keep the others waiting
 */
export function workQueue(clock: Clock, groupOf: (key: ResourceKey) => string = () => '', observer: QueueObserver = unobserved): WorkQueue {
  // Maps keep their order: the group whose turn it is comes first.
  const ready: Record<Priority, Map<string, Turns<ResourceKey>>> = { edit: new Map(), resync: new Map() };
  const places = new Map<ResourceKey, Place>();
  // Since when, in real time.
  const processing = new Map<ResourceKey, number>();
  const again = new Map<ResourceKey, Priority>();
  const delayed = new Map<ResourceKey, Delayed>();
  let listener = nobody;
  let closed = false;

  const add = (key: ResourceKey, priority: Priority): void => {
    if (closed) return;
    if (processing.has(key)) {
      if (!again.has(key)) observer.added();
      if (again.get(key) !== 'edit') again.set(key, priority);
      return;
    }
    if (!places.has(key)) observer.added();
    enter(key, priority);
  };
  const enter = (key: ResourceKey, priority: Priority): void => {
    const known = places.get(key);
    if (known?.priority === 'edit' || known?.priority === priority) return;
    leave(key);
    const group = groupOf(key);
    const turns = ready[priority].get(group) ?? new Turns<ResourceKey>();
    ready[priority].set(group, turns);
    turns.add(tenantOf(key), key);
    places.set(key, { priority, group, since: known?.since ?? performance.now() });
    listener();
  };
  const leave = (key: ResourceKey): void => {
    const place = places.get(key);
    if (!place) return;
    places.delete(key);
    const groups = ready[place.priority];
    const turns = groups.get(place.group);
    turns?.delete(tenantOf(key), key);
    if (turns?.isEmpty) groups.delete(place.group);
  };

  return {
    add,
    addAfter(key, delayMs, { priority, resync }) {
      if (closed) return;
      if (delayMs <= 0) {
        add(key, priority);
        return;
      }
      const at = clock.now() + delayMs;
      const known = delayed.get(key);
      // One visit answers both, so it is waited for as the one of them that is waited for more.
      const both = {
        priority: known?.priority === 'edit' ? 'edit' : priority,
        resync: resync && (known?.resync ?? true),
      };
      if (known && known.at <= at) {
        delayed.set(key, { ...known, ...both });
        return;
      }
      known?.timer[Symbol.dispose]();
      const timer = clock.schedule(delayMs, () => {
        const due = delayed.get(key)?.priority ?? priority;
        delayed.delete(key);
        add(key, due);
      });
      delayed.set(key, { at, ...both, timer });
    },
    take(hasRoom = () => true) {
      for (const priority of ['edit', 'resync'] as const) {
        const groups = ready[priority];
        for (const [group, turns] of groups) {
          if (!hasRoom(group)) continue;
          const key = turns.take();
          if (key === undefined) continue;
          // The group goes to the end: it is the others' turn.
          groups.delete(group);
          if (!turns.isEmpty) groups.set(group, turns);
          const now = performance.now();
          observer.taken(now - (places.get(key)?.since ?? now));
          places.delete(key);
          processing.set(key, now);
          // Whatever was planned for later is answered by the visit that begins now.
          delayed.get(key)?.timer[Symbol.dispose]();
          delayed.delete(key);
          return { key, priority, group };
        }
      }
      return undefined;
    },
    done(key) {
      const since = processing.get(key);
      if (since !== undefined) observer.done(performance.now() - since);
      processing.delete(key);
      const priority = again.get(key);
      again.delete(key);
      if (priority !== undefined && !closed) enter(key, priority);
    },
    onReady(next) {
      listener = next;
    },
    get quiet() {
      return places.size === 0 && processing.size === 0 && [...delayed.values()].every(({ resync }) => resync);
    },
    get length() {
      return places.size;
    },
    get workingMs() {
      const now = performance.now();
      return [...processing.values()].map((since) => now - since);
    },
    close() {
      closed = true;
      for (const { timer } of delayed.values()) timer[Symbol.dispose]();
      delayed.clear();
      ready.edit.clear();
      ready.resync.clear();
      places.clear();
    },
  };
}

function tenantOf(key: ResourceKey): string {
  return parseKey(key).namespace ?? '';
}
