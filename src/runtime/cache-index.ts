import type { KubernetesObject } from './kubernetes-object.ts';
import type { ObjectCache } from './object-cache.ts';

/** Finds cached objects by a value in them, such as a name that they refer to. The caches keep the index up to date. */
export interface CacheIndex<T> {
  /** Objects with this value, in the order in which they were indexed. */
  of(value: string): readonly T[];
}

/** @param valuesOf the values of an object. Must be pure: it is called again for the previous version. */
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
    else this.#members.set(group, known === undefined || known === member ? member : new Set([known, member]));
  }

  remove(group: K, member: M): void {
    const known = this.#members.get(group);
    if (known === member) this.#members.delete(group);
    if (!(known instanceof Set) || !known.delete(member)) return;
    const [only] = known;
    if (known.size === 1 && only !== undefined) this.#members.set(group, only);
  }
}
