import { isObject, type Json, type JsonObject } from './json.ts';
import { mergePatched } from './patch.ts';
import type { StoredObject } from './stored-object.ts';

/** The manifests that each manager last applied to each object, by uid. */
export type Applied = Map<string, Map<string, JsonObject>>;

/** The object that a manifest makes of the present object, and the memory of this manifest. */
export interface Merged {
  readonly body: JsonObject;
  remember(uid: string): void;
}

/**
 * The effect of a server-side apply with force: the fields of the manifest are set, and the fields that the manager
 * applied before and left out now are removed, unless another manager applied these fields. Lists are replaced.
 */
export function applied(
  memory: Applied,
  before: StoredObject | undefined,
  manager: string,
  manifest: JsonObject,
): Merged {
  const ofObject = memory.get(before?.metadata.uid ?? '') ?? new Map<string, JsonObject>();
  const earlier = ofObject.get(manager) ?? {};
  const owners = [...ofObject].filter(([name]) => name !== manager).map(([, other]) => other);
  const left =
    before === undefined ? undefined : without(before, leftOut(earlier, manifest), owners);
  const body = mergePatched(left, manifest);
  return {
    body: isObject(body) ? body : manifest,
    remember: (uid) => void memory.set(uid, new Map([...ofObject, [manager, manifest]])),
  };
}

type Path = readonly string[];

/** The paths of the fields in a manifest that another manifest has not. */
function leftOut(earlier: JsonObject, manifest: JsonObject): readonly Path[] {
  return Object.entries(earlier).flatMap(([field, value]): readonly Path[] => {
    const now = manifest[field];
    if (now === undefined) return [[field]];
    if (!isObject(value) || !isObject(now)) return [];
    return leftOut(value, now).map((path) => [field, ...path]);
  });
}

function without(
  value: JsonObject,
  paths: readonly Path[],
  owners: readonly JsonObject[],
): JsonObject {
  return paths
    .filter((path) => !owners.some((owner) => hasAt(owner, path)))
    .reduce((left, path) => removed(left, path), value);
}

function hasAt(value: Json | undefined, [field, ...rest]: Path): boolean {
  if (field === undefined) return value !== undefined;
  return isObject(value) && hasAt(value[field], rest);
}

function removed(value: JsonObject, [field = '', ...rest]: Path): JsonObject {
  const { [field]: inner, ...kept } = value;
  if (rest.length === 0 || !isObject(inner)) return kept;
  return { ...kept, [field]: removed(inner, rest) };
}
