import { isDeepStrictEqual } from 'node:util';
import { keyOf, type KubernetesObject, parseKey, type ResourceKey } from './kubernetes-object.ts';
import { unlessAborted } from './unless-aborted.ts';

/** Objects as the API server last reported them or as this process last wrote them. */
export interface ObjectCache<T extends KubernetesObject> {
  readonly synced: boolean;
  whenSynced(signal?: AbortSignal): Promise<void>;
  get(key: ResourceKey): T | undefined;
  values(): Iterable<T>;
  /**
   * Takes in the result of a write of this process.
   * @param base the object before a status write without a lock on its version. If more than the status differs,
   *   another client changed the object in between: the change does not count as own.
   */
  wrote(object: T, base?: KubernetesObject): void;
  /** Removes a deleted object, given in its last version. */
  remove(object: T): void;
  onChange(listener: (change: CacheChange<T>) => void): void;
}

/** The cache as its reflectors fill it. `scope` is the namespace of a reflector; undefined for the whole cluster. */
export interface FillableCache<T extends KubernetesObject> extends ObjectCache<T> {
  /**
   * Takes in a complete list. Up to its version the list is the truth, even over a newer cached object: then the server
   * has another history.
   * @param resourceVersion of the list: a newer object is kept even if the list lacks it
   * @returns whether the server has another history than the cache: it was restored from a backup
   */
  replace(scope: string | undefined, objects: readonly T[], resourceVersion: string): boolean;
  /** Takes in the list even over newer objects: the API server was restored from a backup. */
  rewind(scope: string | undefined, objects: readonly T[], resourceVersion: string): void;
  apply(object: T): void;
  /** Everything up to this version has been taken in. */
  reached(scope: string | undefined, resourceVersion: string): void;
  /** The watch broke. The cache covers nothing until `reached` confirms the history of the server. */
  doubted(scope: string | undefined): void;
  /** The newest known version and its object; no object where a list or a deletion is newest. */
  newest(scope: string | undefined): { readonly version: bigint; readonly object: T | undefined };
  /**
   * Whether the cache is at least as new as a live list, deletions included.
   * @param all all objects of the scope, as of `resourceVersion`
   */
  covers(
    scope: string | undefined,
    all: readonly KubernetesObject[],
    resourceVersion: string,
  ): boolean;
}

/**
 * Makes an empty cache.
 * @param scopes namespaces that must be listed before the cache counts as synced; a single
 *   undefined for the whole cluster
 * @param isSelected whether the cache keeps such an object; it drops a cached object that is no
 *   longer selected
 * @param isLetGo whether the operator released this object: the cache does not keep it then either
 */
export function objectCache<T extends KubernetesObject>(
  scopes: readonly (string | undefined)[],
  isSelected: (object: T) => boolean = () => true,
  isLetGo: (object: T) => boolean = () => false,
): FillableCache<T> {
  const objects = new CachedObjects<T>();
  const reachedAt = new Map<string | undefined, bigint>();
  const inDoubt = new Set<string | undefined>();
  const unlisted = new Set(scopes);
  const { promise: whenListed, resolve: listed } = Promise.withResolvers<void>();
  const isKept = (object: T) => isSelected(object) && !isLetGo(object);
  const take = (object: T, own: boolean) =>
    // No event removes an object that is not selected any more.
    isKept(object) ? objects.put(object, { initial: false, own }) : objects.drop(object);
  return {
    get synced() {
      return unlisted.size === 0;
    },
    whenSynced: (signal) => (signal ? unlessAborted(whenListed, signal) : whenListed),
    get: (key) => objects.get(key),
    values: () => objects.values(),
    wrote: (object, base) => take(object, base === undefined || differsOnlyInStatus(object, base)),
    apply: (object) => take(object, false),
    remove: (object) => objects.drop(object),
    onChange: (listener) => objects.onChange(listener),
    newest: (scope) => objects.newest(scope),
    doubted: (scope) => void inDoubt.add(scope),
    reached(scope, resourceVersion) {
      inDoubt.delete(scope);
      reachedAt.set(scope, BigInt(resourceVersion));
    },
    covers: (scope, all, resourceVersion) =>
      !inDoubt.has(scope) &&
      ((reachedAt.get(scope) ?? -1n) >= BigInt(resourceVersion) ||
        objects.cover(scope, all, BigInt(resourceVersion))),
    replace(scope, list, resourceVersion) {
      const asOf = BigInt(resourceVersion);
      const isOther = objects.replace(scope, list.filter(isKept), {
        asOf,
        upTo: asOf,
        initial: unlisted.has(scope),
      });
      unlisted.delete(scope);
      if (unlisted.size === 0) listed();
      return isOther;
    },
    rewind: (scope, list, resourceVersion) =>
      void objects.replace(scope, list.filter(isKept), {
        asOf: BigInt(resourceVersion),
        upTo: everyVersion,
        initial: false,
      }),
  };
}

/**
 * Whether two versions of an object differ at most in their status, in `metadata.resourceVersion` and in
 * `metadata.managedFields`, which each write changes.
 */
export function differsOnlyInStatus(object: KubernetesObject, other: KubernetesObject): boolean {
  return isDeepStrictEqual(withoutStatus(object), withoutStatus(other));
}

/** The part of an object that a status write leaves. */
function withoutStatus({ metadata, ...rest }: KubernetesObject): object {
  return {
    ...rest,
    status: undefined,
    metadata: { ...metadata, resourceVersion: undefined, managedFields: undefined },
  };
}

/** No server gets so far. */
const everyVersion = 2n ** 64n;

/** A change of an object in a cache. */
export interface CacheChange<T> {
  /** An object that another object of the same name replaces is `deleted`, then the other is `added`. */
  readonly type: 'added' | 'updated' | 'deleted';
  /** The new version; for `deleted`, the last cached version. */
  readonly object: T;
  /** The version before. Undefined for `added`. */
  readonly previous: T | undefined;
  /** The change comes from the first list. */
  readonly initial: boolean;
  /** The change is a write of this process. */
  readonly own: boolean;
  /** The change comes from a list after a break of the watch: the object may have had other versions meanwhile. */
  readonly listed?: true;
}

interface ListOrigin {
  readonly asOf: bigint;
  /** `asOf`; or every version, where the server is known to have another history. */
  readonly upTo: bigint;
  readonly initial: boolean;
}

type Origin = Pick<CacheChange<unknown>, 'initial' | 'own' | 'listed'>;

/** Objects by their newest known version. Remembers deletions too: an older version is never taken in. */
export class CachedObjects<T extends KubernetesObject> {
  readonly #objects = new Map<ResourceKey, T>();
  // Versions of deleted objects.
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
    this.#removed.delete(key); // the latest versions are kept
    this.#removed.set(key, versionOf(object));
    if (this.#removed.size > 1_000) this.#removed.delete(this.#removed.keys().next().value ?? key);
    if (previous) this.#forget(key, previous);
  }

  newest(scope: string | undefined): { readonly version: bigint; readonly object: T | undefined } {
    let version = this.#listedAt.get(scope) ?? 0n;
    let newest: T | undefined;
    for (const [key, removed] of this.#removed)
      if (removed > version && isIn(scope, parseKey(key).namespace)) version = removed;
    for (const object of this.#objects.values()) {
      if (versionOf(object) <= version || !isIn(scope, object.metadata.namespace)) continue;
      version = versionOf(object);
      newest = object;
    }
    return { version, object: newest };
  }

  replace(
    scope: string | undefined,
    list: readonly T[],
    { asOf, upTo, initial }: ListOrigin,
  ): boolean {
    const present = new Set(list.map(keyOf));
    let isOther = false;
    for (const [key, object] of this.#objects) {
      if (isIn(scope, object.metadata.namespace) && !present.has(key) && versionOf(object) <= upTo)
        this.#forget(key, object);
    }
    for (const object of list) {
      const key = keyOf(object);
      const { uid, resourceVersion } = this.#objects.get(key)?.metadata ?? {};
      const isSame =
        uid === object.metadata.uid && resourceVersion === object.metadata.resourceVersion;
      const known =
        resourceVersion === undefined ? this.#removed.get(key) : BigInt(resourceVersion);
      if (isSame || (known !== undefined && known > upTo && known >= versionOf(object))) continue;
      // A single history does not go from a newer to an older version.
      if (known !== undefined && known > versionOf(object)) isOther = true;
      this.#store(key, object, { initial, own: false, ...(initial ? {} : { listed: true }) });
    }
    for (const [key, removed] of this.#removed)
      if (removed <= upTo && isIn(scope, parseKey(key).namespace)) this.#removed.delete(key);
    this.#listedAt.set(scope, asOf);
    return isOther;
  }

  cover(scope: string | undefined, all: readonly KubernetesObject[], asOf: bigint): boolean {
    const present = new Set(all.map(keyOf));
    const isStale = (object: T) =>
      isIn(scope, object.metadata.namespace) &&
      !present.has(keyOf(object)) &&
      versionOf(object) <= asOf;
    return (
      all.every((object) => this.#isCovered(object)) && ![...this.#objects.values()].some(isStale)
    );
  }

  #isCovered(object: KubernetesObject): boolean {
    const key = keyOf(object);
    const known = this.#objects.get(key);
    return known ? versionOf(known) >= versionOf(object) : this.#isDeleted(key, object);
  }

  #isDeleted(key: ResourceKey, object: KubernetesObject): boolean {
    const known = [
      this.#removed.get(key),
      this.#listedAt.get(object.metadata.namespace),
      this.#listedAt.get(undefined),
    ];
    return known.some((version) => version !== undefined && version >= versionOf(object));
  }

  #store(key: ResourceKey, object: T, origin: Origin): void {
    const previous = this.#objects.get(key);
    const before = previous?.metadata.uid === object.metadata.uid ? previous : undefined;
    this.#removed.delete(key);
    this.#objects.set(key, object);
    if (previous && !before)
      this.#notify({ type: 'deleted', object: previous, previous, initial: false, own: false });
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

/** Whether a namespace is in a scope. The scope undefined is the whole cluster. */
export function isIn(scope: string | undefined, namespace: string | undefined): boolean {
  return scope === undefined || namespace === scope;
}

function versionOf({ metadata }: KubernetesObject): bigint {
  return BigInt(metadata.resourceVersion);
}

/** The objects of caches by a value, always up to date. */
export interface CacheIndex<T> {
  /** Objects with this value, in the order in which they were indexed. */
  of(value: string): readonly T[];
}

/**
 * Makes an index of the objects in the caches.
 * @param valuesOf the values of an object. It must be pure: the index calls it again for the
 *   previous version.
 */
export function cacheIndex<T extends KubernetesObject>(
  caches: readonly ObjectCache<T>[],
  valuesOf: (object: T) => Iterable<string>,
): CacheIndex<T> {
  const byValue = new Groups<string, T>();
  const add = (object: T) => {
    for (const value of valuesOf(object)) byValue.add(value, object);
  };
  const drop = (object: T) => {
    for (const value of valuesOf(object)) byValue.remove(value, object);
  };
  for (const cache of caches) {
    for (const object of cache.values()) add(object);
    cache.onChange(({ type, object, previous }) => {
      if (previous) drop(previous);
      if (type !== 'deleted') add(object);
    });
  }
  return { of: (value) => byValue.of(value) };
}

/** Members of groups. A group with a single member, as most groups are, needs no collection. */
export class Groups<K, M extends object | string> {
  readonly #members = new Map<K, M | Set<M>>();

  of(group: K): readonly M[] {
    const known = this.#members.get(group);
    if (known === undefined) return [];
    return known instanceof Set ? [...known] : [known];
  }

  add(group: K, member: M): void {
    const known = this.#members.get(group);
    if (known instanceof Set) known.add(member);
    else
      this.#members.set(
        group,
        known === undefined || known === member ? member : new Set([known, member]),
      );
  }

  remove(group: K, member: M): void {
    const known = this.#members.get(group);
    if (known === member) this.#members.delete(group);
    if (!(known instanceof Set) || !known.delete(member)) return;
    const [only] = known;
    if (known.size === 1 && only !== undefined) this.#members.set(group, only);
  }
}
