import { keyOf, parseKey, type KubernetesObject, type ResourceKey } from './kubernetes-object.ts';
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
  /** Takes in the result of a write of this process at once; an older version is never returned again. */
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
 * @param isSelected whether the cache is to have such an object; one that it has already is taken out once it is not
 */
export function objectCache<T extends KubernetesObject>(
  scopes: readonly (string | undefined)[],
  isSelected: (object: T) => boolean = () => true,
): FillableCache<T> {
  const objects = new CachedObjects<T>();
  const reachedAt = new Map<string | undefined, bigint>();
  const unlisted = new Set(scopes);
  const { promise: whenListed, resolve: listed } = Promise.withResolvers<void>();
  // No event removes an object that is not selected any more.
  const take = (object: T, own: boolean) => (isSelected(object) ? objects.put(object, { initial: false, own }) : objects.drop(object));
  return {
    get synced() {
      return unlisted.size === 0;
    },
    whenSynced: (signal) => (signal ? unlessAborted(whenListed, signal) : whenListed),
    get: (key) => objects.get(key),
    values: () => objects.values(),
    wrote: (object) => take(object, true),
    apply: (object) => take(object, false),
    remove: (object) => objects.drop(object),
    onChange: (listener) => objects.onChange(listener),
    reached: (scope, resourceVersion) => void reachedAt.set(scope, BigInt(resourceVersion)),
    covers: (scope, all, resourceVersion) =>
      (reachedAt.get(scope) ?? -1n) >= BigInt(resourceVersion) || objects.cover(scope, all, BigInt(resourceVersion)),
    replace(scope, list, resourceVersion) {
      objects.replace(scope, list.filter(isSelected), { asOf: BigInt(resourceVersion), initial: unlisted.has(scope) });
      unlisted.delete(scope);
      if (unlisted.size === 0) listed();
    },
    rewind: (scope, list, resourceVersion) => objects.rewind(scope, list.filter(isSelected), BigInt(resourceVersion)),
  };
}

type Origin = Pick<CacheChange<unknown>, 'initial' | 'own'>;

/** Objects by their newest known version. Remembers deletions too, so that an older version is never taken in. */
class CachedObjects<T extends KubernetesObject> {
  readonly #objects = new Map<ResourceKey, T>();
  // Versions of deleted objects: an older write that arrives late must not bring the object back.
  readonly #removed = new Map<ResourceKey, bigint>();
  // Versions of the last lists. An object that a list lacks was deleted, unless the object is newer than the list.
  readonly #listedAt = new Map<string | undefined, bigint>();
  readonly #listeners: ((change: CacheChange<T>) => void)[] = [];

  get(key: ResourceKey): T | undefined {
    return this.#objects.get(key);
  }

  values(): Iterable<T> {
    return this.#objects.values();
  }

  onChange(listener: (change: CacheChange<T>) => void): void {
    this.#listeners.push(listener);
  }

  put(object: T, origin: Origin): void {
    const key = keyOf(object);
    const previous = this.#objects.get(key);
    if (previous && versionOf(previous) >= versionOf(object)) return;
    if (!previous && this.#isDeleted(key, object)) return;
    this.#store(key, object, origin);
  }

  drop(object: T): void {
    const key = keyOf(object);
    const previous = this.#objects.get(key);
    if (previous ? versionOf(previous) > versionOf(object) : this.#isDeleted(key, object)) return;
    this.#removed.set(key, versionOf(object));
    if (this.#removed.size > 1_000) this.#removed.delete(this.#removed.keys().next().value ?? key);
    if (previous) this.#forget(key, previous);
  }

  /** Takes in a complete list of a scope. Removes each object that the list lacks, unless the object is newer than the list. */
  replace(scope: string | undefined, list: readonly T[], { asOf, initial }: { readonly asOf: bigint; readonly initial: boolean }): void {
    const present = new Set(list.map(keyOf));
    for (const [key, object] of this.#objects) {
      const isMissing = isIn(scope, object.metadata.namespace) && !present.has(key);
      if (isMissing && versionOf(object) <= asOf) this.drop(object);
    }
    for (const object of list) this.put(object, { initial, own: false });
    if (asOf > (this.#listedAt.get(scope) ?? 0n)) this.#listedAt.set(scope, asOf);
  }

  /** Takes in the list of a server with another history, such as a restored one. Versions are not compared. */
  rewind(scope: string | undefined, list: readonly T[], asOf: bigint): void {
    const present = new Set(list.map(keyOf));
    for (const [key, object] of this.#objects) if (isIn(scope, object.metadata.namespace) && !present.has(key)) this.#forget(key, object);
    for (const key of this.#removed.keys()) if (isIn(scope, parseKey(key).namespace)) this.#removed.delete(key);
    for (const object of list) {
      const key = keyOf(object);
      const { uid, resourceVersion } = this.#objects.get(key)?.metadata ?? {};
      const isSame = uid === object.metadata.uid && resourceVersion === object.metadata.resourceVersion;
      if (!isSame) this.#store(key, object, { initial: false, own: false });
    }
    this.#listedAt.set(scope, asOf);
  }

  /** Whether the cache has each listed object at least in the listed version, and no older object that the list lacks. */
  cover(scope: string | undefined, all: readonly KubernetesObject[], asOf: bigint): boolean {
    const present = new Set(all.map(keyOf));
    const isStale = (object: T) => isIn(scope, object.metadata.namespace) && !present.has(keyOf(object)) && versionOf(object) <= asOf;
    return all.every((object) => this.#isCovered(object)) && ![...this.#objects.values()].some(isStale);
  }

  #isCovered(object: KubernetesObject): boolean {
    const key = keyOf(object);
    const known = this.#objects.get(key);
    return known ? versionOf(known) >= versionOf(object) : this.#isDeleted(key, object);
  }

  #isDeleted(key: ResourceKey, object: KubernetesObject): boolean {
    const known = [this.#removed.get(key), this.#listedAt.get(object.metadata.namespace), this.#listedAt.get(undefined)];
    return known.some((version) => version !== undefined && version >= versionOf(object));
  }

  #store(key: ResourceKey, object: T, origin: Origin): void {
    const previous = this.#objects.get(key);
    const before = previous?.metadata.uid === object.metadata.uid ? previous : undefined;
    this.#removed.delete(key);
    this.#objects.set(key, object);
    if (previous && !before) this.#notify({ type: 'deleted', object: previous, previous, initial: false, own: false });
    this.#notify({ type: before ? 'updated' : 'added', object, previous: before, ...origin });
  }

  #forget(key: ResourceKey, previous: T): void {
    this.#objects.delete(key);
    this.#notify({ type: 'deleted', object: previous, previous, initial: false, own: false });
  }

  #notify(change: CacheChange<T>): void {
    for (const listener of this.#listeners) listener(change);
  }
}

function isIn(scope: string | undefined, namespace: string | undefined): boolean {
  return scope === undefined || namespace === scope;
}

function versionOf({ metadata }: KubernetesObject): bigint {
  return BigInt(metadata.resourceVersion);
}
