import { keyOf, parseKey, type KubernetesObject, type ResourceKey } from './kubernetes-object.ts';

export interface CacheChange<T> {
  readonly type: 'added' | 'updated' | 'deleted';
  readonly object: T;
  readonly previous: T | undefined;
  /** The change comes from the first list, not from a later event. */
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
    this.#removed.delete(key); // the latest versions are kept
    this.#removed.set(key, versionOf(object));
    if (this.#removed.size > 1_000) this.#removed.delete(this.#removed.keys().next().value ?? key);
    if (previous) this.#forget(key, previous);
  }

  newest(scope: string | undefined): { readonly version: bigint; readonly object: T | undefined } {
    let version = this.#listedAt.get(scope) ?? 0n;
    let newest: T | undefined;
    for (const [key, removed] of this.#removed) if (removed > version && isIn(scope, parseKey(key).namespace)) version = removed;
    for (const object of this.#objects.values()) {
      if (versionOf(object) <= version || !isIn(scope, object.metadata.namespace)) continue;
      version = versionOf(object);
      newest = object;
    }
    return { version, object: newest };
  }

  /**
   * Takes in a complete list of a scope. The list replaces every known version up to `upTo`. Returns whether it shows
   * another history.
   */
  replace(scope: string | undefined, list: readonly T[], { asOf, upTo, initial }: ListOrigin): boolean {
    const present = new Set(list.map(keyOf));
    let isOther = false;
    for (const [key, object] of this.#objects) {
      if (isIn(scope, object.metadata.namespace) && !present.has(key) && versionOf(object) <= upTo) this.#forget(key, object);
    }
    for (const object of list) {
      const key = keyOf(object);
      const { uid, resourceVersion } = this.#objects.get(key)?.metadata ?? {};
      const isSame = uid === object.metadata.uid && resourceVersion === object.metadata.resourceVersion;
      const known = resourceVersion === undefined ? this.#removed.get(key) : BigInt(resourceVersion);
      if (isSame || (known !== undefined && known > upTo && known >= versionOf(object))) continue;
      // A single history does not go from a newer to an older version.
      if (known !== undefined && known > versionOf(object)) isOther = true;
      this.#store(key, object, { initial, own: false, ...(initial ? {} : { listed: true }) });
    }
    for (const [key, removed] of this.#removed) if (removed <= upTo && isIn(scope, parseKey(key).namespace)) this.#removed.delete(key);
    this.#listedAt.set(scope, asOf);
    return isOther;
  }

  /** Whether the cache has each listed object at least in the listed version, and no older object besides. */
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

/** @param scope a namespace; undefined for the whole cluster */
export function isIn(scope: string | undefined, namespace: string | undefined): boolean {
  return scope === undefined || namespace === scope;
}

function versionOf({ metadata }: KubernetesObject): bigint {
  return BigInt(metadata.resourceVersion);
}
