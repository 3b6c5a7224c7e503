import { cacheIndex, keyOf, objectReference, referenceOf, resourceKey, type ObjectCache, type ResourceKey } from '../../runtime/index.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

export interface Place {
  readonly kind: ManagedObject['kind'];
  readonly key: ResourceKey;
}

/** Which object names which, in both directions, kept up to date by the caches. */
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

/** The objects that a spec names. Pure. */
function referencesIn(object: ManagedObject): readonly Place[] {
  const { namespace } = object.metadata;
  const place = (kind: Place['kind'], ref: { readonly name: string } | undefined): readonly Place[] =>
    ref ? [{ kind, key: resourceKey(namespace, ref.name) }] : [];
  switch (object.kind) {
    case 'ManagedVpc':
      return [];
    case 'ManagedService':
      return [...place('ManagedVpc', object.spec.vpcRef), ...place('ManagedService', object.spec.fork?.serviceRef)];
    case 'ReplicaSet':
      return place('ManagedService', object.spec.serviceRef);
  }
}
