import {
  keptCaches,
  KubernetesError,
  resourceKey,
  type FillableCache,
  type KubernetesClient,
  type KubernetesErrorKind,
  type KubernetesObject,
  type Manager,
  type ResourceKey,
  type ResourceType,
} from '../../runtime/index.ts';
import {
  asRaw,
  CopiedObjects,
  pathIn,
  type ClusterReader,
  type Raw,
  type Type,
} from './copied-objects.ts';
import { mergePatched } from './merge-patch.ts';

export type { ClusterReader } from './copied-objects.ts';

/** A copy of a cluster in memory, with the client and the caches of an operator on it. Nothing gets out of it. */
export interface ClusterCopy extends Pick<Manager, 'cache'> {
  readonly client: KubernetesClient;
  load(type: ResourceType<unknown>, objects: readonly unknown[]): void;
  /** Takes in an object as a user would write it. */
  put(type: ResourceType<unknown>, object: unknown): void;
  remove(type: ResourceType<unknown>, key: ResourceKey): Promise<void>;
}

/** @param live answers reads of objects that were not loaded */
export function clusterCopy(live: ClusterReader): ClusterCopy {
  const objects = new CopiedObjects(live);
  const kept = keptCaches([undefined]);
  const copied = clientOf(objects);
  return {
    client: copied,
    cache<T extends KubernetesObject>(
      type: ResourceType<T>,
      ...selection: Selection
    ): FillableCache<T> {
      const cache = kept.add(type, ...selection);
      objects.follow({
        plural: type.plural,
        take: (raw) => cache.apply(type.parse(raw)),
        drop: (raw) => cache.remove(type.parse(raw)),
      });
      return cache;
    },
    load: (type, loaded) => loaded.forEach((each) => objects.load(type, asRaw(each))),
    put: (type, object) => void objects.settle(type, objects.next(asRaw(object))),
    remove: async (type, key) => void (await copied.delete(type, key)),
  };
}

/** A client of the copy. It refuses only outdated writes, writes of a missing object, and creates of an existing object. */
function clientOf(objects: CopiedObjects): KubernetesClient {
  const present = async (
    type: Type,
    key: ResourceKey,
    verb: string,
    { uid, resourceVersion }: Precondition = {},
  ): Promise<Raw> => {
    const operation = `${verb} ${pathIn(type, key)}`;
    const raw = await objects.read(type, key);
    if (!raw) throw refused(operation, 'notFound');
    const { metadata } = raw;
    const isOther =
      (uid ?? metadata.uid) !== metadata.uid ||
      (resourceVersion ?? metadata.resourceVersion) !== metadata.resourceVersion;
    if (isOther) throw refused(operation, 'conflict');
    return raw;
  };
  const written = <T>(type: ResourceType<T>, raw: Raw, dryRun: boolean): T => {
    if (!dryRun) objects.settle(type, raw);
    return type.parse(raw);
  };
  return {
    async get(type, key) {
      const raw = await objects.read(type, key);
      return raw && type.parse(raw);
    },
    list(type, { namespace, labelSelector } = {}) {
      const items = objects.all(type, namespace).filter((raw) => isSelected(raw, labelSelector));
      return Promise.resolve({
        items: items.map((raw) => type.parse(raw)),
        unreadable: [],
        resourceVersion: objects.version,
        continue: undefined,
      });
    },
    async create(type, namespace, body, { dryRun = false } = {}) {
      const given = asRaw(body);
      const key = resourceKey(namespace, given.metadata.name);
      if (await objects.read(type, key))
        throw refused(`create ${pathIn(type, key)}`, 'alreadyExists');
      const raw = objects.next(given);
      const metadata = {
        ...raw.metadata,
        namespace,
        uid: `copy-${raw.metadata.resourceVersion}`,
        generation: 1,
      };
      return written(type, { ...raw, metadata }, dryRun);
    },
    async patch(type, key, body, { dryRun = false, subresource } = {}) {
      const { metadata, status, ...change } = asPatch(body);
      const before = await present(type, key, 'patch', metadata);
      const changed = mergePatched(
        before,
        subresource === 'status' ? { status } : { ...change, metadata },
      );
      return written(type, objects.next(asRaw(changed)), dryRun);
    },
    async replace(type, key, body, { dryRun = false } = {}) {
      await present(type, key, 'replace', asRaw(body).metadata);
      return written(type, objects.next(asRaw(body)), dryRun);
    },
    async delete(type, key, more) {
      const before = await present(type, key, 'delete', more);
      const deletionTimestamp = before.metadata.deletionTimestamp ?? new Date(0).toISOString();
      const raw = objects.next({ ...before, metadata: { ...before.metadata, deletionTimestamp } });
      return objects.settle(type, raw) ? type.parse(raw) : undefined;
    },
  };
}

type Selection = Parameters<Manager['cache']> extends [unknown, ...infer Rest] ? Rest : never;

interface Precondition {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** @param selector labels with a value, or without a value for any value */
function isSelected({ metadata: { labels = {} } }: Raw, selector = ''): boolean {
  const wanted = selector === '' ? [] : selector.split(',').map((each) => each.split('='));
  return wanted.every(
    ([name = '', value]) =>
      labels[name] !== undefined && (value === undefined || labels[name] === value),
  );
}

function refused(operation: string, kind: KubernetesErrorKind): KubernetesError {
  return new KubernetesError({ operation, kind });
}

interface Patch extends Readonly<Record<string, unknown>> {
  readonly metadata?: Precondition;
  readonly status?: unknown;
}

function asPatch(value: unknown): Patch {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the operator makes its patches itself
  return value as Patch;
}
