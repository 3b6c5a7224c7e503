import * as z from 'zod';
import { celRules, type CelRule } from '../rule.ts';
import type { StructuralSchema } from './structural-schema.ts';

/**
 * The structural schema of a zod schema. Refuses a schema that Kubernetes cannot express, or expresses differently.
 * @throws {Error} with the path of the schema
 */
export function toStructural(schema: z.ZodType, path = '$'): StructuralSchema {
  const meta = metaOf(schema, path);
  const inner = bare(schema, path);
  return {
    ...shapeOf(inner.schema, path),
    ...metaOf(inner.schema, path),
    ...(inner.default === undefined ? {} : { default: inner.default }),
    ...meta,
  };
}

/** Unwraps optional and default: the parent lists which fields are required. */
function bare(schema: z.ZodType, path: string): { readonly schema: z.ZodType; readonly default: unknown } {
  const isWrapper = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;
  if (!isWrapper) return { schema, default: undefined };
  checksOf(schema, path);
  const inner = bare(type(schema.unwrap()), path);
  return schema instanceof z.ZodDefault ? { ...inner, default: schema.def.defaultValue } : inner;
}

function shapeOf(schema: z.ZodType, path: string): StructuralSchema {
  const checks = checksOf(schema, path);
  if (schema instanceof z.ZodObject) return objectSchema(schema, path);
  if (schema instanceof z.ZodArray) return arraySchema(schema, checks, path);
  if (schema instanceof z.ZodRecord) return recordSchema(schema, path);
  if (schema instanceof z.ZodEnum) return { type: 'string', enum: schema.options };
  if (schema instanceof z.ZodBoolean) return { type: 'boolean' };
  if (schema instanceof z.ZodNumber) return numberSchema(schema, path);
  if (schema instanceof z.ZodString) return stringSchema(checks, path);
  if (schema instanceof z.ZodUnknown) return { 'x-kubernetes-preserve-unknown-fields': true };
  if (schema instanceof z.ZodUnion && isIntOrWord(schema)) return { 'x-kubernetes-int-or-string': true };
  throw new Error(`${path}: a zod ${schema.type} has no structural schema`);
}

function objectSchema(schema: z.ZodObject, path: string): StructuralSchema {
  if (schema.def.catchall) throw new Error(`${path}: the API server drops other fields`);
  const entries = Object.entries(schema.shape).map(([name, field]): [string, z.ZodType] => [name, type(field)]);
  const required = entries
    .filter(([, field]) => !(field instanceof z.ZodOptional) && !(field instanceof z.ZodDefault))
    .map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, field]) => [name, toStructural(field, `${path}.${name}`)])),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** A map of unknown values keeps them unchecked; a map of strings is checked. */
function recordSchema(schema: z.ZodRecord, path: string): StructuralSchema {
  const [key, value] = [type(schema.keyType), type(schema.valueType)];
  if (!(key instanceof z.ZodString) || checksOf(key, path).length > 0) throw new Error(`${path}: the keys of a map are any text`);
  if (value instanceof z.ZodUnknown) return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return { type: 'object', additionalProperties: toStructural(value, `${path}{}`) };
}

function numberSchema(schema: z.ZodNumber, path: string): StructuralSchema {
  const { minValue, maxValue, format } = schema;
  if (format !== 'safeint' && format !== null) throw new Error(`${path}: a number is z.int() or z.number(), not ${format}`);
  return {
    type: format === 'safeint' ? 'integer' : 'number',
    ...(minValue === null || minValue <= Number.MIN_SAFE_INTEGER ? {} : { minimum: minValue }),
    ...(maxValue === null || maxValue >= Number.MAX_SAFE_INTEGER ? {} : { maximum: maxValue }),
  };
}

function stringSchema(checks: readonly Check[], path: string): StructuralSchema {
  const { minimum, maximum } = lengthsOf(checks);
  const patterns = checks.filter((each) => each.check === 'string_format').map((each) => each.pattern.source);
  if (patterns.length > 1) throw new Error(`${path}: at most a single pattern`);
  const [pattern] = patterns;
  return {
    type: 'string',
    ...(minimum === undefined ? {} : { minLength: minimum }),
    ...(maximum === undefined ? {} : { maxLength: maximum }),
    ...(pattern === undefined ? {} : { pattern }),
  };
}

function arraySchema(schema: z.ZodArray, checks: readonly Check[], path: string): StructuralSchema {
  const { minimum, maximum } = lengthsOf(checks);
  return {
    type: 'array',
    items: toStructural(type(schema.element), `${path}[]`),
    ...(minimum === undefined ? {} : { minItems: minimum }),
    ...(maximum === undefined ? {} : { maxItems: maximum }),
  };
}

const check = z.discriminatedUnion('check', [
  z.object({ check: z.literal('min_length'), minimum: z.number() }),
  z.object({ check: z.literal('max_length'), maximum: z.number() }),
  z.object({ check: z.literal('string_format'), pattern: z.instanceof(RegExp).refine(({ flags }) => ['', 'u'].includes(flags)) }),
  z.object({ check: z.literal('greater_than'), inclusive: z.literal(true) }),
  z.object({ check: z.literal('less_than'), inclusive: z.literal(true) }),
]);
type Check = z.infer<typeof check>;

/**
 * The limits of a schema. Any other check has no counterpart in Kubernetes and is refused; CEL can express it, see
 * `checkedBy`.
 */
function checksOf(schema: z.ZodType, path: string): readonly Check[] {
  return (schema.def.checks ?? []).map(({ _zod: { def } }) => {
    const known = check.safeParse(def);
    if (!known.success) throw new Error(`${path}: Kubernetes has no such check as ${def.check}, or not so`);
    return known.data;
  });
}

function lengthsOf(checks: readonly Check[]): { readonly minimum: number | undefined; readonly maximum: number | undefined } {
  return {
    minimum: checks.find((each) => each.check === 'min_length')?.minimum,
    maximum: checks.find((each) => each.check === 'max_length')?.maximum,
  };
}

function isIntOrWord(schema: z.ZodUnion): boolean {
  const options = schema.options.map(type);
  return options.length === 2 && options[0] instanceof z.ZodNumber && options[1] instanceof z.ZodLiteral;
}

const knownMeta = z.strictObject({
  description: z.string().optional(),
  format: z.string().optional(),
  minProperties: z.number().optional(),
  maxProperties: z.number().optional(),
  'x-kubernetes-list-type': z.string().optional(),
  'x-kubernetes-list-map-keys': z.array(z.string()).optional(),
  'x-kubernetes-preserve-unknown-fields': z.boolean().optional(),
  [celRules]: z.custom<readonly CelRule[]>(Array.isArray).optional(),
});

function metaOf(schema: z.ZodType, path: string): StructuralSchema {
  const meta = knownMeta.safeParse(z.globalRegistry.get(schema) ?? {});
  if (!meta.success) throw new Error(`${path}: ${z.prettifyError(meta.error)}`);
  return Object.fromEntries(Object.entries(meta.data).filter(([, value]) => value !== undefined));
}

/** zod types inner schemas by its core; all schemas here are of the classic API. */
function type(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodType) return schema;
  throw new Error('not a zod schema');
}
