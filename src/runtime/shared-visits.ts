import type { Requeue } from './controller.ts';
import { keyOf, type KubernetesObject, type ResourceKey } from './kubernetes-object.ts';
import type { ObjectCache } from './object-cache.ts';
import { parked } from './parked.ts';
import { isOurs, isToBeLetGo, type Shard, type ShardSettings } from './shard.ts';
import { sharedRead } from './shared-read.ts';

/** Objects of one kind that several processes share. */
export interface SharedObjects {
  readonly cache: ObjectCache<KubernetesObject>;
  /** Whether nothing was ever begun for the object, so that nothing of it can be under way. */
  isUntouched(key: ResourceKey): boolean;
  /** Removes these labels from the object in the cache, locked to its version. @returns `forget` once they are removed */
  letGo(key: ResourceKey, labels: readonly string[]): Promise<Requeue>;
  /** Called before the first visit to an object that may have been another process's until now. */
  begin(key: ResourceKey): void;
  /** The object is gone, or is not this process's any more. */
  forget(key: ResourceKey): void;
}

/** What the controllers of a process have in common that shares objects with others. */
export interface Sharing {
  readonly settings: ShardSettings;
  readonly own: Shard;
  /** Steady time at which the last comparison of all caches with the API server began. */
  readonly caughtUpAt: () => number;
}

/** @param compare compares all caches with the API server */
export function sharedOut(settings: ShardSettings, caches: { readonly caughtUpAt: number }, compare: () => Promise<void>): Sharing {
  const catchUp = sharedRead(compare);
  const own: Shard = { lookMs: settings.lookMs, isOurs: (object) => isOurs(object, settings), catchUp: () => parked(catchUp()) };
  return { settings, own, caughtUpAt: () => caches.caughtUpAt };
}

export interface SharedVisitsOptions extends Sharing {
  readonly reconcile: (key: ResourceKey, signal: AbortSignal) => Promise<Requeue>;
  /** Brings another visit after real milliseconds. */
  readonly again: (key: ResourceKey, afterMs: number) => void;
}

export interface SharedVisits {
  /** Whether a visit is worthwhile: the object is this process's, or was. */
  readonly concerns: (key: ResourceKey) => boolean;
  /**
   * Visits the object if it is this process's. One that may have been another's is visited only once nothing of it can be under way, and the caches hold what
   * the other wrote. One that is to be let go is let go here: nothing else of it runs, since a key is visited once at a time.
   */
  readonly visit: (key: ResourceKey, signal: AbortSignal) => Promise<Requeue>;
}

const givenAgainMs = 1_000;

export function sharedVisits(shared: SharedObjects, options: SharedVisitsOptions): SharedVisits {
  const { cache } = shared;
  const { settings, own, caughtUpAt, reconcile, again } = options;
  // Steady time since when an object is this process's, in a row of versions. -Infinity: it was never another's.
  const ownSince = new WeakMap<KubernetesObject, number>();
  // The same time of the objects that were visited since then.
  const begun = new Map<ResourceKey, number>();
  cache.onChange(({ object, previous, listed }) => {
    if (!own.isOurs(object)) return;
    const before = previous && !listed ? ownSince.get(previous) : undefined;
    ownSince.set(object, before ?? (shared.isUntouched(keyOf(object)) ? -Infinity : performance.now()));
  });
  const forget = (key: ResourceKey): Requeue => {
    begun.delete(key);
    shared.forget(key);
    return 'forget';
  };
  return {
    concerns: (key) => begun.has(key) || own.isOurs(cache.get(key)),
    async visit(key, signal) {
      for (;;) {
        const object = cache.get(key);
        const since = object && ownSince.get(object);
        if (!object || since === undefined) return forget(key);
        if (isToBeLetGo(object, settings)) {
          const next = await shared.letGo(key, [settings.label, settings.drainLabel]);
          if (next !== 'forget') return next;
          // The one who shares out may give it to this process again, in the same write.
          return own.isOurs(cache.get(key)) ? { afterMs: givenAgainMs } : forget(key);
        }
        const waitMs = since + settings.waitMs - performance.now();
        if (waitMs > 0) {
          again(key, waitMs);
          return 'forget';
        }
        if (caughtUpAt() < since) {
          await own.catchUp();
          continue;
        }
        if (begun.get(key) !== since && since > -Infinity) shared.begin(key);
        begun.set(key, since);
        return reconcile(key, signal);
      }
    },
  };
}
