import { cacheIndex, keyOf, objectReference, referenceOf, resourceKey, type ObjectCache, type ResourceKey } from '../../runtime/index.ts';
import { typeOf, type Kind, type ManagedObject } from '../../resources/managed-object.ts';

export interface Place {
  readonly kind: Kind;
  readonly key: ResourceKey;
}

/** References between objects, in both directions. The caches keep the index up to date. */
export interface ReferenceIndex {
  referrersOf(object: ManagedObject): Iterable<Place>;
  referentsOf(object: ManagedObject): Iterable<Place>;
}

export function referenceIndex(caches: readonly ObjectCache<ManagedObject>[]): ReferenceIndex {
  const referrers = cacheIndex(caches, (object) => referencesIn(object).map(({ kind, key }) => objectReference(kind, key)));
  return {
    referrersOf: (object) => referrers.of(referenceOf(object)).map((referrer) => ({ kind: referrer.kind, key: keyOf(referrer) })),
    referentsOf: referencesIn,
  };
}

/** The objects that a spec refers to. Pure. */
function referencesIn(object: ManagedObject): readonly Place[] {
  const { namespace } = object.metadata;
  return typeOf(object)
    .references(object)
    .flatMap(({ kind, name }) => (name === undefined ? [] : [{ kind, key: resourceKey(namespace, name) }]));
}
