import { expectedMark } from '../wire/field.ts';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/**
 * A JSON Schema from zod, made strict for the API's document. The client reads null as absent and tolerates missing
 * fields; the document allows no null, and requires the fields that are marked as expected.
 */
export function documentSchema(schema: JsonObject): JsonObject {
  const { anyOf, ...beside } = schema;
  const only = isList(anyOf) ? anyOf.filter(isObject).filter(({ type }) => type !== 'null') : [];
  const bare = only.length === 1 ? { ...only[0], ...beside } : schema;
  const entries = Object.entries(bare)
    .filter(([name, value]) => !dropped.has(name) && value !== Number.MAX_SAFE_INTEGER)
    .map(([name, value]): [string, Json] => [name, name === 'type' ? withoutNull(value) : withSchemas(name, value)]);
  const { $ref, type, format, description, ...more } = Object.fromEntries(entries);
  const required = requiredIn(bare);
  const first = { $ref, type, format, description, ...(required.length > 0 ? { required } : {}) };
  return { ...Object.fromEntries(Object.entries(first).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))), ...more };
}

/** In OpenAPI, `readOnly` would forbid the field in requests; zod writes it for a readonly array. */
const dropped: ReadonlySet<string> = new Set(['$schema', '$id', 'readOnly', 'required', expectedMark]);

function withSchemas(keyword: string, value: Json): Json {
  if (!isObject(value)) return value;
  if (keyword === 'items') return documentSchema(value);
  if (keyword !== 'properties') return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, isObject(each) ? documentSchema(each) : each]));
}

function withoutNull(type: Json): Json {
  const types = isList(type) ? type.filter((each) => each !== 'null') : [];
  return types.length === 1 ? (types[0] ?? type) : type;
}

function requiredIn({ required, properties }: JsonObject): readonly Json[] {
  const always = isList(required) ? required : [];
  if (!isObject(properties)) return always;
  return Object.entries(properties)
    .filter(([name, each]) => always.includes(name) || (isObject(each) && each[expectedMark] === true))
    .map(([name]) => name);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
