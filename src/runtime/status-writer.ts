import { isDeepStrictEqual } from 'node:util';
import type { KubernetesClient } from './kubernetes-client.ts';
import { keyOf, type KubernetesObject, type ResourceType } from './kubernetes-object.ts';

/**
 * Writes the difference that {@link statusPatch} found. The patch carries the uid, so that it never changes another
 * object of the same name. Without a lock, the answer may contain a change of another client, which must bring a visit:
 * the cache needs the object before the write.
 * @param isLocked whether any other change of the object since is a conflict
 * @throws {KubernetesError} `notFound` when the object is gone, `conflict` when another object took its name
 */
export async function patchStatus<T extends KubernetesObject>(
  client: Pick<KubernetesClient, 'patch'>,
  type: ResourceType<T>,
  object: T,
  difference: Plain,
  cache: { wrote(object: T, base: KubernetesObject): void },
  isLocked = false,
): Promise<T> {
  const { uid, resourceVersion } = object.metadata;
  const body = { metadata: { uid, ...(isLocked ? { resourceVersion } : {}) }, status: difference };
  const written = await client.patch(type, keyOf(object), body, { subresource: 'status' });
  cache.wrote(written, object);
  return written;
}

/** The merge patch from the status of an object to this status; undefined when they are equal. */
export function statusPatch({ status: before }: { readonly status?: object | undefined }, status: object): Plain | undefined {
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
