/** An object as the API server stores it, with the metadata that the runtime needs. */
export interface KubernetesObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly uid: string;
    /**
     * The version. The runtime compares versions as integers, which they are in every released API
     * server.
     */
    readonly resourceVersion: string;
    readonly generation?: number | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly deletionTimestamp?: string | undefined;
    readonly finalizers?: readonly string[] | undefined;
  };
}

/** A kind of object. `parse` throws if it cannot read the value. */
export interface ResourceType<T> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  /** Requests only metadata: spec, status and data never reach this process, not even `parse`. */
  readonly metadataOnly?: boolean;
  /** Lists and watches only the object with this name, which needs a right to that object alone. */
  readonly onlyName?: string;
  /** The operator's finalizer; `parse` must keep it. A cache has no object in deletion without it: see the README. */
  readonly finalizer?: string;
  parse(value: unknown): T;
}

/**
 * The name of an object in its kind: `namespace/name`, or `name` for an object without a namespace.
 */
export type ResourceKey = string & { readonly __brand: 'ResourceKey' };

/** Makes the key of an object. */
export function resourceKey(namespace: string | undefined, name: string): ResourceKey {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only place where a key is made
  return (namespace === undefined ? name : `${namespace}/${name}`) as ResourceKey;
}

type NameOf = Pick<KubernetesObject['metadata'], 'name' | 'namespace'>;

/** Returns the key of an object. */
export function keyOf({ metadata }: { readonly metadata: NameOf }): ResourceKey {
  return resourceKey(metadata.namespace, metadata.name);
}

/** Returns the parts of a key. */
export function parseKey(key: ResourceKey): {
  readonly namespace: string | undefined;
  readonly name: string;
} {
  const slash = key.indexOf('/');
  return slash < 0
    ? { namespace: undefined, name: key }
    : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** Returns the `accept` header of a request: the whole object or list, or only its metadata. */
export function acceptOf(
  { metadataOnly = false }: Pick<ResourceType<unknown>, 'metadataOnly'>,
  form: 'object' | 'list',
): string {
  if (!metadataOnly) return 'application/json';
  return `application/json;as=PartialObjectMetadata${form === 'list' ? 'List' : ''};g=meta.k8s.io;v=v1`;
}

/** Returns the query of a list or a watch for {@link ResourceType.onlyName}; empty for all objects. */
export function fieldSelectorOf({ onlyName }: Pick<ResourceType<unknown>, 'onlyName'>): {
  readonly fieldSelector?: string;
} {
  return onlyName === undefined ? {} : { fieldSelector: `metadata.name=${onlyName}` };
}

/** Names that would change the path of a request, or address all objects of a kind. No object can have such a name. */
const noName = /^\.{0,2}$|[/%]/u;

/**
 * Returns the path of a request: that of the kind, or that of an object with a name.
 * @throws {TypeError} for a name that no object can have
 */
export function pathOf(
  type: Pick<ResourceType<unknown>, 'group' | 'version' | 'plural'>,
  namespace?: string,
  name?: string,
  subresource?: string,
): string {
  if (name !== undefined && noName.test(name))
    throw new TypeError(`no object can have the name ${JSON.stringify(name)}`);
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const parts = [
    root,
    ...(namespace === undefined ? [] : ['namespaces', encodeURIComponent(namespace)]),
    type.plural,
    ...(name === undefined ? [] : [encodeURIComponent(name)]),
    ...(subresource === undefined ? [] : [subresource]),
  ];
  return parts.join('/');
}

/** An object as text: `ManagedService/shop/orders`, `Namespace/shop`. Used in logs, and as a key of maps and sets. */
export type ObjectReference = string & { readonly __brand: 'ObjectReference' };

/** Makes the reference of an object from its kind and key. */
export function objectReference(kind: string, key: ResourceKey): ObjectReference {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only place where it is made
  return `${kind}/${key}` as ObjectReference;
}

/** Returns the reference of an object that has its kind. */
export function referenceOf({
  kind,
  metadata,
}: {
  readonly kind: string;
  readonly metadata: NameOf;
}): ObjectReference {
  return objectReference(kind, keyOf({ metadata }));
}

/** Returns the kind and the key of a reference. */
export function partsOfReference(reference: ObjectReference): {
  readonly kind: string;
  readonly key: ResourceKey;
} {
  const slash = reference.indexOf('/');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was made of a key
  return { kind: reference.slice(0, slash), key: reference.slice(slash + 1) as ResourceKey };
}

interface Held {
  readonly metadata: Pick<KubernetesObject['metadata'], 'uid' | 'resourceVersion' | 'finalizers'>;
}

/** Whether an object has the finalizer. */
export function hasFinalizer(
  { metadata }: { readonly metadata: Pick<Held['metadata'], 'finalizers'> },
  finalizer: string,
): boolean {
  return metadata.finalizers?.includes(finalizer) === true;
}

/**
 * Returns the metadata of a merge patch that adds the finalizer. The patch replaces the whole list
 * of finalizers. It is locked to a resourceVersion, so that it keeps a finalizer that another
 * client added meanwhile. Kubernetes refuses a new finalizer on an object in deletion.
 */
export function withFinalizer({ metadata }: Held, finalizer: string) {
  const { uid, resourceVersion, finalizers = [] } = metadata;
  return { uid, resourceVersion, finalizers: [...new Set([...finalizers, finalizer])] };
}

/**
 * Returns the metadata of a merge patch that removes the finalizer, as {@link withFinalizer} adds
 * it. An object that is being deleted disappears with its last finalizer.
 */
export function withoutFinalizer({ metadata }: Held, finalizer: string) {
  const { uid, resourceVersion, finalizers = [] } = metadata;
  return { uid, resourceVersion, finalizers: finalizers.filter((other) => other !== finalizer) };
}

/** Whether an object in deletion is not held by this finalizer: its owner has released the object, or never held it. */
export function isLetGo(object: KubernetesObject, finalizer: string): boolean {
  return object.metadata.deletionTimestamp !== undefined && !hasFinalizer(object, finalizer);
}

/** Whether {@link withoutFinalizer} shows that the object is gone: it was being deleted, and has no finalizer left. */
export function isGone({
  metadata,
}: {
  readonly metadata: Pick<KubernetesObject['metadata'], 'deletionTimestamp' | 'finalizers'>;
}): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
}
