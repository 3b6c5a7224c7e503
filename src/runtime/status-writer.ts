import { isDeepStrictEqual } from 'node:util';
import type { KubernetesClient } from './kubernetes-client.ts';
import { keyOf, type KubernetesObject, type ResourceType } from './kubernetes-object.ts';

/**
 * Writes a status, if it says anything new: nothing is written when nothing changed. Fields that are gone are removed.
 * The uid goes along, so that a status never lands on another object of the same name.
 * @returns the object as it is now, or undefined when there was nothing to write
 * @throws {KubernetesError} `notFound` when the object is gone, `conflict` when another took its name
 */
export async function writeStatus<T extends KubernetesObject & { readonly status?: object | undefined }>(
  client: KubernetesClient,
  type: ResourceType<T>,
  object: T,
  status: object,
  cache: { wrote(object: T): void },
): Promise<T | undefined> {
  const difference = mergePatchOf(plain(object.status ?? {}), plain(status));
  if (difference === undefined) return undefined;
  const body = { metadata: { uid: object.metadata.uid }, status: difference };
  const written = await client.patch(type, keyOf(object), body, { subresource: 'status' });
  cache.wrote(written);
  return written;
}

type Plain = Record<string, unknown>;

/**
 * The merge patch that turns one into the other; undefined when they are the same. Lists are replaced whole, as merge patches do.
 * A field that is null counts as absent, since a merge patch cannot write it.
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

/** As it would be in JSON: without undefined fields. */
function plain(value: object): Plain {
  const parsed: unknown = JSON.parse(JSON.stringify(value));
  return isRecord(parsed) ? parsed : {};
}
