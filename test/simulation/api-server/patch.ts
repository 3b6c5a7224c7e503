import { isList, isObject, isSame, type Json, type JsonObject } from './json.ts';
import { Refusal } from './refusal.ts';

/** The value after a merge patch (RFC 7386). */
export function mergePatched(before: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const result: Record<string, Json | undefined> = isObject(before) ? { ...before } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    if (value === null) delete result[field];
    else result[field] = mergePatched(result[field], value);
  }
  return result;
}

/**
 * The value after a JSON patch (RFC 6902) with the operations add, remove, replace and test.
 * @throws {Refusal} `Invalid` for a test that fails or a path that is absent, as the server answers
 */
export function jsonPatched(before: JsonObject, patch: Json): Json {
  if (!isList(patch)) throw new Refusal('BadRequest', 'a JSON patch is a list');
  return patch.reduce<Json>((value, step) => {
    if (!isObject(step) || typeof step['path'] !== 'string')
      throw new Refusal('BadRequest', 'a step of a JSON patch has a path');
    const [, ...path] = step['path'].split('/').map(unescaped);
    return stepped(value, path, step);
  }, before);
}

const unescaped = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~');

const refused = () =>
  new Refusal('Invalid', 'the server rejected our request due to an error in our request');

function stepped(value: Json, [field, ...rest]: readonly string[], step: JsonObject): Json {
  if (field === undefined) {
    if (step['op'] === 'test' && !isSame(value, step['value'] ?? null)) throw refused();
    return step['op'] === 'test' ? value : (step['value'] ?? null);
  }
  if (!isObject(value) && !isList(value)) throw refused();
  const isThere = isList(value)
    ? /^\d+$/u.test(field) && Number(field) < value.length
    : value[field] !== undefined;
  const isLast = rest.length === 0;
  if (!isThere && !(isLast && step['op'] === 'add')) throw refused();
  if (isList(value)) {
    const index = field === '-' ? value.length : Number(field);
    if (isLast && step['op'] === 'remove') return value.toSpliced(index, 1);
    if (isLast && step['op'] === 'add') return value.toSpliced(index, 0, step['value'] ?? null);
    return value.with(index, stepped(value[index] ?? null, rest, step));
  }
  if (isLast && step['op'] === 'remove') {
    const { [field]: _removed, ...kept } = value;
    return kept;
  }
  return { ...value, [field]: stepped(value[field] ?? null, rest, step) };
}
