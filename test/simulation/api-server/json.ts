import { isDeepStrictEqual } from 'node:util';

/** A value of JSON. Every value of the server is immutable: a change makes a new value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** An object of JSON. A field with the value undefined counts as absent. */
export interface JsonObject {
  readonly [field: string]: Json | undefined;
}

/** Whether a value is an object of JSON: no list, no null. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a list of JSON. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Whether two values are equal. The order of fields does not count. */
export function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return one === other || isDeepStrictEqual(one, other);
}

/** The value at a path of fields. Undefined if any part of the path is absent. */
export function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let found = value;
  for (const field of path) {
    if (!isObject(found)) return undefined;
    found = found[field];
  }
  return found;
}

/** The text at a path of fields. Undefined if it is no text. */
export function textAt(value: Json | undefined, ...path: readonly string[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

/** The value without the fields that are undefined. */
export function compact(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined));
}

const texts = new WeakMap<object, string>();

/** The text of an object of JSON. Several watches and replies show the same version of an object. */
export function jsonOf(value: object): string {
  const text = texts.get(value) ?? JSON.stringify(value);
  texts.set(value, text);
  return text;
}

/** Parses a text. Undefined if the text is no JSON. */
export function parsedJson(text: string): Json | undefined {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the edge: JSON.parse returns JSON
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
