import * as z from 'zod';
import { isList, isObject, isSame, type Json, type JsonObject } from './json.ts';
import type { Cause } from './refusal.ts';
import { isFollowed } from './rules.ts';

/** A structural schema of a CustomResourceDefinition, with the keywords that the definitions in crds/ have. */
export interface Schema {
  readonly type?: string | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly additionalProperties?: Schema | undefined;
  readonly items?: Schema | undefined;
  readonly required?: readonly string[] | undefined;
  readonly default?: Json | undefined;
  readonly enum?: readonly Json[] | undefined;
  readonly pattern?: string | undefined;
  readonly format?: string | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly minProperties?: number | undefined;
  readonly maxProperties?: number | undefined;
  readonly 'x-kubernetes-int-or-string'?: boolean | undefined;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean | undefined;
  readonly 'x-kubernetes-list-type'?: string | undefined;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[] | undefined;
  readonly 'x-kubernetes-validations'?: readonly Rule[] | undefined;
}

interface Rule {
  readonly rule: string;
  readonly message?: string | undefined;
  readonly fieldPath?: string | undefined;
  readonly optionalOldSelf?: boolean | undefined;
}

const rule = z.strictObject({
  rule: z.string(),
  message: z.string().optional(),
  fieldPath: z.string().optional(),
  optionalOldSelf: z.boolean().optional(),
});

/** Strict: an unknown keyword in a definition must fail here, and not be ignored. */
export const schemaShape: z.ZodType<Schema> = z.lazy(() =>
  z.strictObject({
    type: z.string().optional(),
    description: z.string().optional(),
    properties: z.record(z.string(), schemaShape).optional(),
    additionalProperties: schemaShape.optional(),
    items: schemaShape.optional(),
    required: z.array(z.string()).optional(),
    default: z.json().optional(),
    enum: z.array(z.json()).optional(),
    pattern: z.string().optional(),
    format: z.enum(['int32', 'int64', 'date-time']).optional(),
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    minItems: z.number().optional(),
    maxItems: z.number().optional(),
    minProperties: z.number().optional(),
    maxProperties: z.number().optional(),
    'x-kubernetes-int-or-string': z.boolean().optional(),
    'x-kubernetes-preserve-unknown-fields': z.boolean().optional(),
    'x-kubernetes-list-type': z.enum(['set', 'map']).optional(),
    'x-kubernetes-list-map-keys': z.array(z.string()).optional(),
    'x-kubernetes-validations': z.array(rule).optional(),
  }),
);

/** The value as the server decodes it: without unknown fields and nulls, with the defaults. */
export function decoded(schema: Schema, value: Json): Json {
  if (isList(value)) {
    const { items } = schema;
    return items ? value.map((item) => decoded(items, item)) : value;
  }
  if (!isObject(value)) return value;
  const { properties = {}, additionalProperties } = schema;
  const result: Record<string, Json> = {};
  for (const [field, inner] of Object.entries(value)) {
    const known = properties[field] ?? additionalProperties;
    if (inner === undefined || (known && inner === null)) continue;
    if (known) result[field] = decoded(known, inner);
    else if (schema['x-kubernetes-preserve-unknown-fields'] === true) result[field] = inner;
  }
  for (const [field, { default: standard }] of Object.entries(properties))
    if (standard !== undefined && result[field] === undefined)
      result[field] = decoded(properties[field] ?? {}, standard);
  return result;
}

/**
 * The problems of a decoded value. The server accepts an old problem in a part that an update does
 * not change.
 * @param before the stored value that an update replaces; undefined for a new value
 */
export function problemsOf(
  schema: Schema,
  value: Json,
  before: Json | undefined,
  path: string,
): readonly Cause[] {
  const structural = structuralProblems(schema, value, before, path);
  return structural.length > 0 ? structural : brokenRules(schema, value, before, path);
}

function structuralProblems(
  schema: Schema,
  value: Json,
  before: Json | undefined,
  path: string,
): readonly Cause[] {
  if (before !== undefined && isSame(value, before)) return [];
  const wrong = ownProblem(schema, value);
  if (wrong !== undefined) return [{ ...wrong, field: path }];
  return innerParts(schema, value, before, path).flatMap((part) =>
    structuralProblems(part.schema, part.value, part.before, part.path),
  );
}

function brokenRules(
  schema: Schema,
  value: Json,
  before: Json | undefined,
  path: string,
): readonly Cause[] {
  const isUnchanged = before !== undefined && isSame(value, before);
  const own = (schema['x-kubernetes-validations'] ?? [])
    .filter(({ rule: text, optionalOldSelf = false }) => {
      const isTransition = text.includes('oldSelf') && !optionalOldSelf;
      if (isTransition ? before === undefined : isUnchanged) return false;
      return !isFollowed(text, value, before);
    })
    .map(({ message = '', fieldPath = '' }) => ({
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${message}`,
      field: `${path}${fieldPath}`.replace(/^\./u, ''),
    }));
  const inner = innerParts(schema, value, before, path).flatMap((part) =>
    brokenRules(part.schema, part.value, part.before, part.path),
  );
  return [...own, ...inner];
}

interface Part {
  readonly schema: Schema;
  readonly value: Json;
  readonly before: Json | undefined;
  readonly path: string;
}

function innerParts(
  schema: Schema,
  value: Json,
  before: Json | undefined,
  path: string,
): readonly Part[] {
  const { items, properties = {}, additionalProperties } = schema;
  if (isList(value)) {
    if (!items) return [];
    return value.map((item, index) => ({
      schema: items,
      value: item,
      before: earlierItem(schema, item, before),
      path: `${path}[${index}]`,
    }));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([field, inner]) => {
    const known = properties[field] ?? additionalProperties;
    if (!known || inner === undefined) return [];
    const earlier = isObject(before) ? before[field] : undefined;
    return [{ schema: known, value: inner, before: earlier, path: `${path}.${field}` }];
  });
}

/** The item of the stored list with the same keys. The server compares no other lists item by item. */
function earlierItem(schema: Schema, item: Json, before: Json | undefined): Json | undefined {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (!keys || !isList(before)) return undefined;
  return before.find((each) => isSame(keyOf(keys, each), keyOf(keys, item)));
}

function keyOf(keys: readonly string[], item: Json): Json {
  return keys.map((key) => (isObject(item) ? item[key] : undefined) ?? null);
}

type Problem = Omit<Cause, 'field'>;

const invalid = (message: string): Problem => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${message}`,
});

function ownProblem(schema: Schema, value: Json): Problem | undefined {
  if (schema['x-kubernetes-int-or-string'] === true)
    return typeof value === 'string' || Number.isInteger(value)
      ? undefined
      : invalid('must be an integer or a string');
  const { type } = schema;
  if (type !== undefined && !isOfType(type, value))
    return { reason: 'FieldValueTypeInvalid', message: `Invalid value: must be of type ${type}` };
  if (schema.enum && !schema.enum.some((each) => isSame(each, value)))
    return { reason: 'FieldValueNotSupported', message: 'Unsupported value' };
  if (typeof value === 'string') return problemOfText(schema, value);
  if (typeof value === 'number') return problemOfNumber(schema, value);
  if (isList(value)) return problemOfList(schema, value);
  if (isObject(value)) return problemOfObject(schema, value);
  return undefined;
}

function isOfType(type: string, value: Json): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return isList(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

const dateTime = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/u;

function problemOfText(schema: Schema, value: string): Problem | undefined {
  const { minLength = 0, maxLength = Infinity, pattern, format } = schema;
  const { length } = Array.from(value);
  if (length < minLength || length > maxLength) return invalid('too short or too long');
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value))
    return invalid(`does not match ${pattern}`);
  return format === 'date-time' && !dateTime.test(value) ? invalid('no date-time') : undefined;
}

function problemOfNumber(schema: Schema, value: number): Problem | undefined {
  const { minimum = -Infinity, maximum = Infinity, format } = schema;
  const isIn = format !== 'int32' || (value >= -(2 ** 31) && value < 2 ** 31);
  return value < minimum || value > maximum || !isIn ? invalid('out of range') : undefined;
}

function problemOfList(schema: Schema, value: readonly Json[]): Problem | undefined {
  if (value.length > (schema.maxItems ?? Infinity)) return invalid('too many items');
  if (value.length < (schema.minItems ?? 0)) return invalid('too few items');
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type'] === undefined) return undefined;
  const identities = value.map((item) => JSON.stringify(keys ? keyOf(keys, item) : item));
  return new Set(identities).size < value.length
    ? { reason: 'FieldValueDuplicate', message: 'Duplicate value' }
    : undefined;
}

function problemOfObject(schema: Schema, value: JsonObject): Problem | undefined {
  const missing = (schema.required ?? []).filter((field) => value[field] === undefined);
  if (missing.length > 0)
    return { reason: 'FieldValueRequired', message: `Required value: ${missing.join(', ')}` };
  const count = Object.keys(value).length;
  const { minProperties = 0, maxProperties = Infinity } = schema;
  return count < minProperties || count > maxProperties
    ? invalid('too few or too many fields')
    : undefined;
}
