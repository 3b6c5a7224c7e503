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

/** One period in which an object is this process's. All versions of the object in that period share it. */
interface Period {
  /** Steady time of its begin. Undefined: no process ever began anything for the object, so that no wait is needed. */
  readonly since: number | undefined;
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
  const periods = new WeakMap<KubernetesObject, Period>();
  // The periods of the objects that were visited.
  const begun = new Map<ResourceKey, Period>();
  cache.onChange(({ object, previous, listed }) => {
    if (!shard.isOurs(object)) return;
    const before = previous && !listed ? periods.get(previous) : undefined;
    periods.set(object, before ?? { since: shared.isUntouched(keyOf(object)) ? undefined : performance.now() });
  });
  return {
    concerns: (key) => begun.has(key) || shard.isOurs(cache.get(key)),
    async reconcile(key, signal) {
      const object = cache.get(key);
      const period = object && periods.get(object);
      if (!object || !period) {
        begun.delete(key);
        shared.forget(key);
        return 'forget';
      }
      if (object.metadata.labels?.[shard.drainLabel] !== undefined) {
        await shared.letGo(key, [shard.label, shard.drainLabel]);
        return { afterMs: lookAgainMs };
      }
      if (period.since !== undefined) {
        const end = togetherFrom(period.since + shard.waitMs);
        const waitMs = end - performance.now();
        if (waitMs > 0) return { afterMs: waitMs };
        if (shard.caughtUpAt < end) {
          await shard.catchUp();
          // The object may be another one now.
          return { afterMs: 0 };
        }
        if (begun.get(key) !== period) shared.begin(key);
      }
      begun.set(key, period);
      return reconcile(key, signal);
    },
  };
}
