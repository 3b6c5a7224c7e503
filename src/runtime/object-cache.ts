import { CachedObjects } from './cached-objects.ts';
import type { KubernetesObject, ResourceKey } from './kubernetes-object.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface CacheChange<T> {
  readonly type: 'added' | 'updated' | 'deleted';
  readonly object: T;
  readonly previous: T | undefined;
  /** The change comes from the first list, not from a later event. */
  readonly initial: boolean;
  /** The change is a write of this process. */
  readonly own: boolean;
}

/** Objects of one type, as the API server last reported them or as this process last wrote them. */
export interface ObjectCache<T extends KubernetesObject> {
  /** Whether the first list of each scope has been taken in. */
  readonly synced: boolean;
  whenSynced(signal?: AbortSignal): Promise<void>;
  get(key: ResourceKey): T | undefined;
  values(): Iterable<T>;
  /**
   * Takes in the result of a write of this process at once; an older version is never returned again. Removes an object that the watch does not
   * select:
   * no event would remove it.
   */
  wrote(object: T): void;
  /** Removes a deleted object, given in its last version. An older version does not bring it back. */
  remove(object: T): void;
  onChange(listener: (change: CacheChange<T>) => void): void;
}

/** The cache as its reflectors fill it. `scope` is the namespace of a reflector; undefined for the whole cluster. */
export interface FillableCache<T extends KubernetesObject> extends ObjectCache<T> {
  /** @param resourceVersion of the list: a newer object is kept even if the list lacks it */
  replace(scope: string | undefined, objects: readonly T[], resourceVersion: string): void;
  /** Takes in the list although the cache has newer objects: the API server was restored from a backup, and versions begin anew. */
  rewind(scope: string | undefined, objects: readonly T[], resourceVersion: string): void;
  apply(object: T): void;
  /** Everything up to this version has been taken in. */
  reached(scope: string | undefined, resourceVersion: string): void;
  /**
   * Whether the cache is at least as new as a live list, deletions included.
   * @param all all objects of the scope, as of `resourceVersion`
   */
  covers(scope: string | undefined, all: readonly KubernetesObject[], resourceVersion: string): boolean;
}

/**
 * @param scopes namespaces that must be listed before the cache counts as synced; a single undefined for the whole cluster
 * @param isSelected whether the watch that fills the cache selects such an object
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
