import type { ControllerOptions } from './controller.ts';
import { keyOf, type KubernetesObject, type ResourceKey } from './kubernetes-object.ts';
import type { ObjectCache } from './object-cache.ts';
import type { Shard } from './shard.ts';

export interface SharedObjects {
  readonly cache: ObjectCache<KubernetesObject>;
  /** Whether no process ever began work for the object, so that none can be in flight. */
  isUntouched(key: ResourceKey): boolean;
  /** Removes these labels, unless the object has changed since. */
  letGo(key: ResourceKey, labels: readonly string[]): Promise<void>;
  /** Called before the first visit to an object that may have belonged to another process. */
  begin(key: ResourceKey): void;
  /** The object is gone, or no longer belongs to this process. */
  forget(key: ResourceKey): void;
}

/** Real milliseconds until a look at an object to be released: the same write may assign it to this process again. */
const lookAgainMs = 1_000;

const togetherMs = 1_000;

/** Waits that begin at about the same time end together: a single comparison serves all. */
function togetherFrom(time: number): number {
  return Math.ceil(time / togetherMs) * togetherMs;
}

/** A period in which an object belongs to this process. All versions of the object in that period share it. */
interface Period {
  /** Steady time of its begin. Undefined: no process ever began work for the object, so no wait is needed. */
  readonly since: number | undefined;
}

/**
 * Visits only the objects of this process. The visit to another process's former object waits: no work of that process
 * may be in flight, and the caches must hold its writes. Releases objects here, since a key is visited once at a time.
 */
export function sharedVisits(
  shared: SharedObjects,
  shard: Shard,
  reconcile: ControllerOptions['reconcile'],
): Required<Pick<ControllerOptions, 'concerns' | 'reconcile'>> {
  const { cache } = shared;
  const periods = new WeakMap<KubernetesObject, Period>();
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
          // The name may belong to another object now.
          return { afterMs: 0 };
        }
        if (begun.get(key) !== period) shared.begin(key);
      }
      begun.set(key, period);
      return reconcile(key, signal);
    },
  };
}
