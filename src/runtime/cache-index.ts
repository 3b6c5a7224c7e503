import type { KubernetesObject } from './kubernetes-object.ts';
import type { ObjectCache } from './object-cache.ts';

/** Objects of some caches by what they say, such as what they refer to; the caches keep it up to date. */
export interface CacheIndex<T> {
  /** In the order in which they came to say so. */
  of(value: string): readonly T[];
}

/** @param valuesOf under what an object is found; pure, since it is asked again for what an object said before */
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
