import type { ControllerOptions } from './controller.ts';
import { keyOf, type KubernetesObject, type ResourceKey } from './kubernetes-object.ts';
import type { ObjectCache } from './object-cache.ts';
import type { Shard } from './shard.ts';

/** Objects of one kind that several processes share. */
export interface SharedObjects {
  readonly cache: ObjectCache<KubernetesObject>;
  /** Whether nothing was ever begun for the object, so that nothing of it can be under way. */
  isUntouched(key: ResourceKey): boolean;
  /** Removes these labels from the object in the cache, unless it has changed since. */
  letGo(key: ResourceKey, labels: readonly string[]): Promise<void>;
  /** Called before the first visit to an object that may have been another process's until now. */
  begin(key: ResourceKey): void;
  /** The object is gone, or is not this process's any more. */
  forget(key: ResourceKey): void;
}

/** Real milliseconds until a look at an object that was to be let go: whoever shares out may give it to this process again, in the same write. */
const lookAgainMs = 1_000;

const togetherMs = 1_000;

/** The waits of objects that came at about the same time end together, so that one comparison serves all. */
function togetherFrom(time: number): number {
  return Math.ceil(time / togetherMs) * togetherMs;
}

/**
 * Visits the objects of this process alone. One that may have been another's is visited only once nothing of it can be under way, and the caches hold what
 * the other wrote. One that is to be let go is let go here: nothing else of it runs, since a key is visited once at a time.
 */
export function sharedVisits(
  shared: SharedObjects,
  shard: Shard,
  reconcile: ControllerOptions['reconcile'],
): Required<Pick<ControllerOptions, 'concerns' | 'reconcile'>> {
  const { cache } = shared;
  // Steady time since when an object is this process's, in a row of versions. -Infinity: it was never another's.
  const ownSince = new WeakMap<KubernetesObject, number>();
  // The same time of the objects that were visited since then.
  const begun = new Map<ResourceKey, number>();
  cache.onChange(({ object, previous, listed }) => {
    if (!shard.isOurs(object)) return;
    const before = previous && !listed ? ownSince.get(previous) : undefined;
    ownSince.set(object, before ?? (shared.isUntouched(keyOf(object)) ? -Infinity : performance.now()));
  });
  return {
    concerns: (key) => begun.has(key) || shard.isOurs(cache.get(key)),
    async reconcile(key, signal) {
      for (;;) {
        const object = cache.get(key);
        const since = object && ownSince.get(object);
        if (since === undefined) {
          begun.delete(key);
          shared.forget(key);
          return 'forget';
        }
        if (object?.metadata.labels?.[shard.drainLabel] !== undefined) {
          await shared.letGo(key, [shard.label, shard.drainLabel]);
          return { afterMs: lookAgainMs };
        }
        const end = togetherFrom(since + shard.waitMs);
        const waitMs = end - performance.now();
        if (waitMs > 0) return { afterMs: waitMs };
        // Until then the process before may have written.
        if (shard.caughtUpAt < end) {
          await shard.catchUp();
          continue;
        }
        if (begun.get(key) !== since && since > -Infinity) shared.begin(key);
        begun.set(key, since);
        return reconcile(key, signal);
      }
    },
  };
}
