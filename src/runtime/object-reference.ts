import { keyOf, type KubernetesObject, type ResourceKey } from './kubernetes-object.ts';

/** An object as text: `ManagedService/shop/orders`, `Namespace/shop`. Used in logs, and as a key of maps and sets. */
export type ObjectReference = string & { readonly __brand: 'ObjectReference' };

export function objectReference(kind: string, key: ResourceKey): ObjectReference {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only place where it is made
  return `${kind}/${key}` as ObjectReference;
}

export function referenceOf({ kind, metadata }: { readonly kind: string; readonly metadata: NameOf }): ObjectReference {
  return objectReference(kind, keyOf({ metadata }));
}

type NameOf = Pick<KubernetesObject['metadata'], 'name' | 'namespace'>;

export function partsOfReference(reference: ObjectReference): { readonly kind: string; readonly key: ResourceKey } {
  const slash = reference.indexOf('/');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was made of a key
  return { kind: reference.slice(0, slash), key: reference.slice(slash + 1) as ResourceKey };
}
