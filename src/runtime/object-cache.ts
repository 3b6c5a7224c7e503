import { CachedObjects } from './cached-objects.ts';
import type { KubernetesObject, ResourceKey } from './kubernetes-object.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface CacheChange<T> {
  readonly type: 'added' | 'updated' | 'deleted';
  readonly object: T;
  readonly previous: T | undefined;
  /** Part of a first list, not of something that happened. */
  readonly initial: boolean;
  /** What we wrote ourselves. */
  readonly own: boolean;
}

/** The objects of one type as the API server last told, and as we last wrote them. */
export interface ObjectCache<T extends KubernetesObject> {
  /** Every list that fills it has been applied. */
  readonly synced: boolean;
  whenSynced(signal?: AbortSignal): Promise<void>;
  get(key: ResourceKey): T | undefined;
  values(): Iterable<T>;
  /**
   * Takes in what a write of ours returned, at once: nothing older than that is ever seen again. What the watch does not select is taken out: no event
   * would ever do that.
   */
  wrote(object: T): void;
  /** Takes out what is gone, as it was last seen: nothing older brings it back. */
  remove(object: T): void;
  onChange(listener: (change: CacheChange<T>) => void): void;
}

/** The cache as its reflectors fill it: `scope` is the namespace that one watches, or the whole cluster. */
export interface FillableCache<T extends KubernetesObject> extends ObjectCache<T> {
  /** @param resourceVersion that of the list: what is newer than it is not missing from it */
  replace(scope: string | undefined, objects: readonly T[], resourceVersion: string): void;
  /** Takes the list as it is, though the cache has newer things: the API server was restored, and its history is another one from now on. */
  rewind(scope: string | undefined, objects: readonly T[], resourceVersion: string): void;
  apply(object: T): void;
  /** Everything up to there has been applied. */
  reached(scope: string | undefined, resourceVersion: string): void;
  /**
   * Whether nothing is missing that a live list told of: neither an object, nor a change, nor that one is gone.
   * @param all what is in the scope, as of `resourceVersion`
   */
  covers(scope: string | undefined, all: readonly KubernetesObject[], resourceVersion: string): boolean;
}

/**
 * @param scopes the namespaces that have to be listed before it counts as synced; one undefined for the whole cluster
 * @param isSelected whether the watch that fills it tells of such an object
 */
export function objectCache<T extends KubernetesObject>(
  scopes: readonly (string | undefined)[],
  isSelected: (object: T) => boolean = () => true,
): FillableCache<T> {
  const objects = new CachedObjects<T>();
  const reachedAt = new Map<string | undefined, bigint>();
  const unlisted = new Set(scopes);
  const { promise: whenListed, resolve: listed } = Promise.withResolvers<void>();
  return {
    get synced() {
      return unlisted.size === 0;
    },
    whenSynced: (signal) => (signal ? unlessAborted(whenListed, signal) : whenListed),
    get: (key) => objects.get(key),
    values: () => objects.values(),
    wrote: (object) => (isSelected(object) ? objects.put(object, { initial: false, own: true }) : objects.drop(object)),
    apply: (object) => objects.put(object, { initial: false, own: false }),
    remove: (object) => objects.drop(object),
    onChange: (listener) => objects.onChange(listener),
    reached: (scope, resourceVersion) => void reachedAt.set(scope, BigInt(resourceVersion)),
    covers: (scope, all, resourceVersion) =>
      (reachedAt.get(scope) ?? -1n) >= BigInt(resourceVersion) || objects.cover(scope, all, BigInt(resourceVersion)),
    replace(scope, list, resourceVersion) {
      objects.replace(scope, list, { asOf: BigInt(resourceVersion), initial: unlisted.has(scope) });
      unlisted.delete(scope);
      if (unlisted.size === 0) listed();
    },
    rewind: (scope, list, resourceVersion) => objects.rewind(scope, list, BigInt(resourceVersion)),
  };
}
