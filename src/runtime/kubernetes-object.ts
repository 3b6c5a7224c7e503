/** What every object in Kubernetes has, as far as the runtime cares. */
export interface KubernetesObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly uid: string;
    /** Compared as an integer, which is what it is in every released API server. */
    readonly resourceVersion: string;
    readonly generation?: number | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly deletionTimestamp?: string | undefined;
  };
}

/** One kind of object: where the API serves it, and how a reply becomes a value. `parse` throws when it cannot. */
export interface ResourceType<T> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  /** Only the metadata is asked for, and nothing else ever reaches this process: what is sent to be parsed has no spec, status or data. */
  readonly metadataOnly?: boolean;
  parse(value: unknown): T;
}

/** `namespace/name`, or `name` for what is in no namespace. */
export type ResourceKey = string & { readonly __brand: 'ResourceKey' };

export function resourceKey(namespace: string | undefined, name: string): ResourceKey {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where a key is made
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

/** The form in which the API server shall answer. */
export function acceptOf({ metadataOnly = false }: Pick<ResourceType<unknown>, 'metadataOnly'>, form: 'object' | 'list'): string {
  if (!metadataOnly) return 'application/json';
  return `application/json;as=PartialObjectMetadata${form === 'list' ? 'List' : ''};g=meta.k8s.io;v=v1`;
}

/** Names that lead elsewhere in a path, or to all objects of a kind. No object can have one. */
const noName = /^\.{0,2}$|[/%]/u;

/** The path of a kind, of one object, or of a subresource of it. @throws {TypeError} for a name that no object can have */
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
