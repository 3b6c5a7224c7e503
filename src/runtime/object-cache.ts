import { keyOf, parseKey, type KubernetesObject, type ResourceKey } from './kubernetes-object.ts';

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
  const objects = new Map<ResourceKey, T>();
  // A delete that we have seen: an older write that arrives late must not bring the object back.
  const removed = new Map<ResourceKey, bigint>();
  // What is not in a list and is not newer than it was deleted before: the list is a delete of all the rest.
  const listedAt = new Map<string | undefined, bigint>();
  const reachedAt = new Map<string | undefined, bigint>();
  const listeners: ((change: CacheChange<T>) => void)[] = [];
  const unlisted = new Set(scopes);
  const { promise: whenListed, resolve: listed } = Promise.withResolvers<void>();

  const tell = (change: CacheChange<T>) => {
    for (const listener of listeners) listener(change);
  };
  const isDeleted = (key: ResourceKey, object: KubernetesObject): boolean => {
    const known = [removed.get(key), listedAt.get(object.metadata.namespace), listedAt.get(undefined)];
    return known.some((version) => version !== undefined && version >= versionOf(object));
  };
  const isCovered = (object: KubernetesObject): boolean => {
    const key = keyOf(object);
    const known = objects.get(key);
    return known ? versionOf(known) >= versionOf(object) : isDeleted(key, object);
  };
  const put = (object: T, { initial, own }: { initial: boolean; own: boolean }) => {
    const key = keyOf(object);
    const previous = objects.get(key);
    if (previous && versionOf(previous) >= versionOf(object)) return;
    if (!previous && isDeleted(key, object)) return;
    store(key, object, { initial, own });
  };
  const store = (key: ResourceKey, object: T, { initial, own }: { initial: boolean; own: boolean }) => {
    const previous = objects.get(key);
    removed.delete(key);
    objects.set(key, object);
    if (previous && previous.metadata.uid !== object.metadata.uid)
      tell({ type: 'deleted', object: previous, previous, initial: false, own: false });
    const before = previous?.metadata.uid === object.metadata.uid ? previous : undefined;
    tell({ type: before ? 'updated' : 'added', object, previous: before, initial, own });
  };
  const drop = (key: ResourceKey, object: T) => {
    const previous = objects.get(key);
    if (previous ? versionOf(previous) > versionOf(object) : isDeleted(key, object)) return;
    removed.set(key, versionOf(object));
    if (removed.size > 1_000) removed.delete(removed.keys().next().value ?? key);
    if (previous) forget(key, previous);
  };
  const forget = (key: ResourceKey, previous: T) => {
    objects.delete(key);
    tell({ type: 'deleted', object: previous, previous, initial: false, own: false });
  };

  return {
    get synced() {
      return unlisted.size === 0;
    },
    async whenSynced(signal) {
      if (!signal) return whenListed;
      const { promise, reject } = Promise.withResolvers<never>();
      const abort = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, { once: true });
      return Promise.race([whenListed, promise]).finally(() => signal.removeEventListener('abort', abort));
    },
    get: (key) => objects.get(key),
    values: () => objects.values(),
    wrote: (object) => (isSelected(object) ? put(object, { initial: false, own: true }) : drop(keyOf(object), object)),
    apply: (object) => put(object, { initial: false, own: false }),
    remove: (object) => drop(keyOf(object), object),
    onChange: (listener) => void listeners.push(listener),
    reached: (scope, resourceVersion) => void reachedAt.set(scope, BigInt(resourceVersion)),
    covers(scope, all, resourceVersion) {
      const asOf = BigInt(resourceVersion);
      if ((reachedAt.get(scope) ?? -1n) >= asOf) return true;
      const present = new Set(all.map(keyOf));
      const isStale = (object: T) => isIn(scope, object.metadata.namespace) && !present.has(keyOf(object)) && versionOf(object) <= asOf;
      return all.every(isCovered) && ![...objects.values()].some(isStale);
    },
    replace(scope, list, resourceVersion) {
      const initial = unlisted.has(scope);
      const present = new Set(list.map(keyOf));
      for (const [key, object] of objects) {
        const isMissing = isIn(scope, object.metadata.namespace) && !present.has(key);
        if (isMissing && versionOf(object) <= BigInt(resourceVersion)) drop(key, object);
      }
      for (const object of list) put(object, { initial, own: false });
      const before = listedAt.get(scope) ?? 0n;
      if (BigInt(resourceVersion) > before) listedAt.set(scope, BigInt(resourceVersion));
      unlisted.delete(scope);
      if (unlisted.size === 0) listed();
    },
    rewind(scope, list, resourceVersion) {
      const present = new Set(list.map(keyOf));
      for (const [key, object] of objects) if (isIn(scope, object.metadata.namespace) && !present.has(key)) forget(key, object);
      for (const key of removed.keys()) if (isIn(scope, parseKey(key).namespace)) removed.delete(key);
      for (const object of list) {
        const key = keyOf(object);
        const { uid, resourceVersion: version } = objects.get(key)?.metadata ?? {};
        if (uid !== object.metadata.uid || version !== object.metadata.resourceVersion) store(key, object, { initial: false, own: false });
      }
      listedAt.set(scope, BigInt(resourceVersion));
    },
  };
}

function isIn(scope: string | undefined, namespace: string | undefined): boolean {
  return scope === undefined || namespace === scope;
}

function versionOf({ metadata }: KubernetesObject): bigint {
  return BigInt(metadata.resourceVersion);
}
