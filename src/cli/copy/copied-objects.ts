import {
  keyOf,
  pathOf,
  parseKey,
  type KubernetesClient,
  type KubernetesObject,
  type ResourceKey,
  type ResourceType,
} from '../../runtime/index.ts';

/** The reads of the real cluster. This type allows no write. */
export type ClusterReader = Pick<KubernetesClient, 'get' | 'list'>;

/** An object as JSON, in a version of the copy. */
export type Raw = KubernetesObject & Readonly<Record<string, unknown>>;

export type Type = Pick<
  ResourceType<unknown>,
  'group' | 'version' | 'plural' | 'kind' | 'metadataOnly'
>;

interface Stored extends Pick<Type, 'group' | 'plural'> {
  readonly raw: Raw;
  /** Only metadata was read, so a reader of the content asks the cluster for it. */
  readonly isPartial: boolean;
}

/** Gets each new version of an object, and its end. */
export interface Follower {
  readonly plural: string;
  readonly take: (raw: Raw) => void;
  readonly drop: (raw: Raw) => void;
}

/** Objects of a cluster in memory. Other objects are read from the real cluster on demand. */
export class CopiedObjects {
  readonly #live: ClusterReader;
  readonly #stored = new Map<string, Stored>();
  readonly #gone = new Set<string>();
  readonly #followers: Follower[] = [];
  #version = 0n;

  constructor(live: ClusterReader) {
    this.#live = live;
  }

  get version(): string {
    return String(this.#version);
  }

  follow(follower: Follower): void {
    this.#followers.push(follower);
  }

  /** All loaded and written objects of a kind, of a namespace or of all. */
  all(type: Type, namespace: string | undefined): readonly Raw[] {
    const ofKind = [...this.#stored.values()].filter(
      ({ group, plural }) => group === type.group && plural === type.plural,
    );
    return ofKind.flatMap(({ raw }) =>
      namespace === undefined || raw.metadata.namespace === namespace ? [raw] : [],
    );
  }

  async read(type: Type, key: ResourceKey): Promise<Raw | undefined> {
    const path = pathIn(type, key);
    const known = this.#stored.get(path);
    if (this.#gone.has(path) || (known && (!known.isPartial || type.metadataOnly === true)))
      return known?.raw;
    const found = await this.#live.get({ ...type, parse: asRaw }, key);
    if (!found) return known?.raw;
    // The metadata of the copy stays.
    const raw = known ? { ...found, metadata: known.raw.metadata } : found;
    this.#store(type, raw, type.metadataOnly);
    return raw;
  }

  load(type: Type, raw: Raw): void {
    const version = BigInt(raw.metadata.resourceVersion);
    if (version > this.#version) this.#version = version;
    this.#store(type, raw, type.metadataOnly);
  }

  next(raw: Raw): Raw {
    this.#version += 1n;
    return { ...raw, metadata: { ...raw.metadata, resourceVersion: this.version } };
  }

  /** Stores a version of an object. Removes the object if it is being deleted, and has no finalizer. @returns whether it is still there */
  settle(type: Type, raw: Raw): boolean {
    const isHeld =
      raw.metadata.deletionTimestamp === undefined || (raw.metadata.finalizers ?? []).length > 0;
    // A write of metadata alone reads no content.
    const isPartial =
      type.metadataOnly === true && this.#stored.get(pathIn(type, keyOf(raw)))?.isPartial === true;
    if (isHeld) this.#store(type, raw, isPartial);
    else this.#remove(type, raw);
    return isHeld;
  }

  #store(type: Type, raw: Raw, isPartial = false): void {
    const path = pathIn(type, keyOf(raw));
    this.#gone.delete(path);
    this.#stored.set(path, { group: type.group, plural: type.plural, raw, isPartial });
    for (const { plural, take } of this.#followers) if (plural === type.plural) take(raw);
  }

  #remove(type: Type, raw: Raw): void {
    const path = pathIn(type, keyOf(raw));
    this.#stored.delete(path);
    this.#gone.add(path);
    for (const { plural, drop } of this.#followers) if (plural === type.plural) drop(raw);
  }
}

export function pathIn(type: Type, key: ResourceKey): string {
  const { namespace, name } = parseKey(key);
  return pathOf(type, namespace, name);
}

export function asRaw(value: unknown): Raw {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each reader of the object parses it by its type
  return value as Raw;
}
