export interface KubernetesObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly uid: string;
    /** Candidate as an integer, which it is in every released API server. */
    readonly resourceVersion: string;
    readonly generation?: number | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly deletionTimestamp?: string | undefined;
    readonly finalizers?: readonly string[] | undefined;
  };
}

/** A kind of object: its place in the API, and its parser. `parse` throws if it cannot read the value. */
export interface ResourceType<T> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  /** Requests only metadata: spec, status and data never reach this process, not even `parse`. */
  readonly metadataOnly?: boolean;
  /**
   * The finalizer with which the operator holds these objects; `parse` must keep it. A cache has no object in deletion
   * without it: the operator has released the object. Another finalizer may hold it for long, and other clients may
   * edit it.
   */
  readonly finalizer?: string;
  parse(value: unknown): T;
}

/** `namespace/name`, or `name` for an object without a namespace. */
export type ResourceKey = string & { readonly __brand: 'ResourceKey' };

export function resourceKey(namespace: string | undefined, name: string): ResourceKey {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only place where a key is made
  return (namespace === undefined ? name : `${namespace}/${name}`) as ResourceKey;
}

export function keyOf({
  metadata,
}: {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
}): ResourceKey {
  return resourceKey(metadata.namespace, metadata.name);
}

export function parseKey(key: ResourceKey): { readonly namespace: string | undefined; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { namespace: undefined, name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

export function acceptOf({ metadataOnly = false }: Pick<ResourceType<unknown>, 'metadataOnly'>, form: 'object' | 'list'): string {
  if (!metadataOnly) return 'application/json';
  return `application/json;as=PartialObjectMetadata${form === 'list' ? 'List' : ''};g=meta.k8s.io;v=v1`;
}

/** Names that would change the path of a request, or address all objects of a kind. No object can have such a name. */
const noName = /^\.{0,2}$|[/%]/u;

/** @throws {TypeError} for a name that no object can have */
export function pathOf(
  type: Pick<ResourceType<unknown>, 'group' | 'version' | 'plural'>,
  namespace?: string,
  name?: string,
  subresource?: string,
): string {
  if (name !== undefined && noName.test(name)) throw new TypeError(`no object can have the name ${JSON.stringify(name)}`);
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
