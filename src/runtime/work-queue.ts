import type { Clock } from './clock.ts';
import type { ResourceKey } from './kubernetes-object.ts';

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
  /** The next key, edits first; undefined when there is none now. Has to be followed by `done`. */
  take(): { readonly key: ResourceKey; readonly priority: Priority } | undefined;
  done(key: ResourceKey): void;
  /** Called when there is something to take. */
  onReady(listener: () => void): void;
  /** Nothing to take, nothing being worked, nothing to come but resyncs. */
  readonly quiet: boolean;
  readonly length: number;
  close(): void;
}

interface Delayed {
  readonly at: number;
  readonly priority: Priority;
  readonly resync: boolean;
  readonly timer: Disposable;
}

const nobody = (): void => undefined;

export function workQueue(clock: Clock): WorkQueue {
  // A set keeps its order: the first that was added is the first that is taken.
  const ready: Record<Priority, Set<ResourceKey>> = { edit: new Set(), resync: new Set() };
  const processing = new Set<ResourceKey>();
  const again = new Map<ResourceKey, Priority>();
  const delayed = new Map<ResourceKey, Delayed>();
  let listener = nobody;
  let closed = false;

  const add = (key: ResourceKey, priority: Priority): void => {
    if (closed) return;
    if (processing.has(key)) {
      if (again.get(key) !== 'edit') again.set(key, priority);
      return;
    }
    if (ready.edit.has(key)) return;
    if (priority === 'edit') ready.resync.delete(key);
    ready[priority].add(key);
    listener();
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
    take() {
      for (const priority of ['edit', 'resync'] as const) {
        const key = ready[priority].values().next().value;
        if (key === undefined) continue;
        ready[priority].delete(key);
        processing.add(key);
        // Whatever was planned for later is answered by the visit that begins now.
        delayed.get(key)?.timer[Symbol.dispose]();
        delayed.delete(key);
        return { key, priority };
      }
      return undefined;
    },
    done(key) {
      processing.delete(key);
      const priority = again.get(key);
      again.delete(key);
      if (priority !== undefined) add(key, priority);
    },
    onReady(next) {
      listener = next;
    },
    get quiet() {
      return (
        ready.edit.size === 0 && ready.resync.size === 0 && processing.size === 0 && [...delayed.values()].every(({ resync }) => resync)
      );
    },
    get length() {
      return ready.edit.size + ready.resync.size;
    },
    close() {
      closed = true;
      for (const { timer } of delayed.values()) timer[Symbol.dispose]();
      delayed.clear();
      ready.edit.clear();
      ready.resync.clear();
    },
  };
}
