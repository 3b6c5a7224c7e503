import { keyOf, resourceKey, type ObjectCache, type ResourceKey } from '../runtime/index.ts';
import type { ManagedObject } from './situation.ts';

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
  const referrers = new Map<string, Map<string, Place>>();
  const change = (object: ManagedObject, add: boolean) => {
    const from: Place = { kind: object.kind, key: keyOf(object) };
    for (const to of referencesIn(object)) {
      const places = referrers.get(text(to)) ?? new Map<string, Place>();
      if (add) places.set(text(from), from);
      else places.delete(text(from));
      if (places.size > 0) referrers.set(text(to), places);
      else referrers.delete(text(to));
    }
  };
  for (const cache of caches) {
    cache.onChange(({ type, object, previous }) => {
      if (previous) change(previous, false);
      if (type !== 'deleted') change(object, true);
    });
  }
  return {
    referrersOf: (object) => [...(referrers.get(text({ kind: object.kind, key: keyOf(object) }))?.values() ?? [])],
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

function text({ kind, key }: Place): string {
  return `${kind}/${key}`;
}
