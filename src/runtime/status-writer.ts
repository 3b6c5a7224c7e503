import { isDeepStrictEqual } from 'node:util';
import type { KubernetesClient } from './kubernetes-client.ts';
import { KubernetesError } from './kubernetes-error.ts';
import { keyOf, type KubernetesObject, type ResourceType } from './kubernetes-object.ts';

/** How often a status is written again after a change of the object by another client. */
const mostRivals = 5;

/** A status to write. */
export interface StatusWrite<T> {
  /** The object that the status is about. */
  readonly object: T;
  /** As of {@link statusPatch}. */
  readonly difference: Plain;
  /** Gets the written object. */
  readonly cache: { wrote(object: T, base: KubernetesObject): void };
  /** Whether any other change of the object since is a conflict, since another process may have got it. Default: no. */
  readonly isShared?: boolean;
}

/**
 * Writes the difference that {@link statusPatch} found. The API server ignores the uid in a patch of a custom resource's
 * status, so each patch is locked to a version that is known to be of this object. After a change by another client, a GET
 * shows whether the object is still the same. The answer may then contain that change, which must bring a visit: the cache
 * needs the object before the write.
 * @throws {KubernetesError} `notFound` or `conflict` when the object is gone, `conflict` when another object took its name
 */
export async function patchStatus<T extends KubernetesObject>(
  client: Pick<KubernetesClient, 'get' | 'patch'>,
  type: ResourceType<T>,
  { object, difference, cache, isShared = false }: StatusWrite<T>,
): Promise<T> {
  const key = keyOf(object);
  let { resourceVersion } = object.metadata;
  for (let rivals = 0; ; rivals += 1) {
    const metadata = { uid: object.metadata.uid, resourceVersion };
    try {
      const written = await client.patch(
        type,
        key,
        { metadata, status: difference },
        { subresource: 'status' },
      );
      cache.wrote(written, object);
      return written;
    } catch (error) {
      const isOutdated = error instanceof KubernetesError && error.kind === 'conflict';
      const live =
        isOutdated && !isShared && rivals < mostRivals ? await client.get(type, key) : undefined;
      const isSame = live?.metadata.uid === object.metadata.uid;
      if (!isSame || live.metadata.resourceVersion === resourceVersion) throw error;
      ({ resourceVersion } = live.metadata);
    }
  }
}

/** The merge patch from the status of an object to this status; undefined when they are equal. */
export function statusPatch(
  { status: before }: { readonly status?: object | undefined },
  status: object,
): Plain | undefined {
  return mergePatchOf(plain(before ?? {}), plain(status));
}

type Plain = Record<string, unknown>;

/**
 * The merge patch that turns `from` into `to`; undefined when they are equal. Lists are replaced whole, as in every merge patch.
 * Null counts as absent, since a merge patch cannot write it.
 */
export function mergePatchOf(from: Plain, to: Plain): Plain | undefined {
  const patch: Plain = {};
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const before = from[key];
    const after = to[key];
    if (after === undefined || after === null) {
      if (before !== undefined && before !== null) patch[key] = null;
    } else if (isRecord(before) && isRecord(after)) {
      const inner = mergePatchOf(before, after);
      if (inner) patch[key] = inner;
    } else if (!isDeepStrictEqual(before, after)) patch[key] = after;
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}

function isRecord(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value without undefined fields, as in JSON. */
function plain(value: object): Plain {
  const parsed: unknown = JSON.parse(JSON.stringify(value));
  return isRecord(parsed) ? parsed : {};
}
