import type { KubernetesObject } from './kubernetes-object.ts';
import type { ObjectCache } from './object-cache.ts';

/** Finds cached objects by a value that they contain, such as the name of an object that they refer to. The caches keep the index up to date. */
export interface CacheIndex<T> {
  /** Objects with this value, in the order in which they were indexed. */
  of(value: string): readonly T[];
}

/** @param valuesOf the values under which an object is found. Must be pure: it is called again for the previous version of an object. */
export function cacheIndex<T extends KubernetesObject>(
  caches: readonly ObjectCache<T>[],
  valuesOf: (object: T) => Iterable<string>,
): CacheIndex<T> {
  const byValue = new Map<string, Map<string, T>>();
  const add = (object: T) => {
    for (const value of valuesOf(object)) byValue.set(value, (byValue.get(value) ?? new Map<string, T>()).set(object.metadata.uid, object));
  };
  const drop = (object: T) => {
    for (const value of valuesOf(object)) {
      const objects = byValue.get(value);
      objects?.delete(object.metadata.uid);
      if (objects?.size === 0) byValue.delete(value);
    }
  };
  for (const cache of caches) {
    for (const object of cache.values()) add(object);
    cache.onChange(({ type, object, previous }) => {
      if (previous) drop(previous);
      if (type !== 'deleted') add(object);
    });
  }
  return { of: (value) => [...(byValue.get(value)?.values() ?? [])] };
}
