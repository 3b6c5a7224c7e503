import * as z from 'zod';
import { celRules, type CelRule } from '../rule.ts';
import type { StructuralSchema } from './structural-schema.ts';

/**
 * The structural schema of a zod schema. What Kubernetes cannot say, or zod would say differently, is refused here and not written wrong.
 * @throws {Error} with the path of what cannot be expressed
 */
export function toStructural(schema: z.ZodType, path = '$'): StructuralSchema {
  const meta = metaOf(schema);
  const inner = bare(schema);
  return {
    ...shapeOf(inner.schema, path),
    ...metaOf(inner.schema),
    ...(inner.default === undefined ? {} : { default: inner.default }),
    ...meta,
  };
}

/** Without optional and default around it: whether a field may be missing stands with its parent. */
function bare(schema: z.ZodType): { readonly schema: z.ZodType; readonly default: unknown } {
  if (schema instanceof z.ZodOptional) return bare(type(schema.unwrap()));
  if (schema instanceof z.ZodDefault) return { ...bare(type(schema.unwrap())), default: schema.def.defaultValue };
  return { schema, default: undefined };
}

function shapeOf(schema: z.ZodType, path: string): StructuralSchema {
  if (schema instanceof z.ZodObject) return objectSchema(schema, path);
  if (schema instanceof z.ZodArray) return arraySchema(schema, path);
  if (schema instanceof z.ZodRecord) return recordSchema(type(schema.valueType), path);
  if (schema instanceof z.ZodEnum) return { type: 'string', enum: schema.options };
  if (schema instanceof z.ZodBoolean) return { type: 'boolean' };
  if (schema instanceof z.ZodNumber) return numberSchema(schema);
  if (schema instanceof z.ZodString) return stringSchema(schema, path);
  if (schema instanceof z.ZodUnknown) return { 'x-kubernetes-preserve-unknown-fields': true };
  if (schema instanceof z.ZodUnion && isIntOrWord(schema)) return { 'x-kubernetes-int-or-string': true };
  throw new Error(`${path}: a zod ${schema.type} has no structural schema`);
}

function objectSchema(schema: z.ZodObject, path: string): StructuralSchema {
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

/** A map of anything keeps what it holds; a map of strings is checked. */
function recordSchema(value: z.ZodType, path: string): StructuralSchema {
  if (value instanceof z.ZodUnknown) return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return { type: 'object', additionalProperties: toStructural(value, `${path}{}`) };
}

function numberSchema(schema: z.ZodNumber): StructuralSchema {
  const isInteger = schema.format === 'safeint';
  const { minValue, maxValue } = schema;
  return {
    type: isInteger ? 'integer' : 'number',
    ...(minValue === null || minValue <= Number.MIN_SAFE_INTEGER ? {} : { minimum: minValue }),
    ...(maxValue === null || maxValue >= Number.MAX_SAFE_INTEGER ? {} : { maximum: maxValue }),
  };
}

function stringSchema(schema: z.ZodString, path: string): StructuralSchema {
  const { minimum, maximum, patterns } = checksOf(schema);
  if (patterns.length > 1) throw new Error(`${path}: one pattern at the most`);
  const [pattern] = patterns;
  return {
    type: 'string',
    ...(minimum === undefined ? {} : { minLength: minimum }),
    ...(maximum === undefined ? {} : { maxLength: maximum }),
    ...(pattern === undefined ? {} : { pattern }),
  };
}

function arraySchema(schema: z.ZodArray, path: string): StructuralSchema {
  const { minimum, maximum } = checksOf(schema);
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
  z.object({ check: z.literal('string_format'), pattern: z.instanceof(RegExp) }),
]);

/** The limits of a string or an array. Any other check has no counterpart and is refused. */
function checksOf(schema: z.ZodString | z.ZodArray): {
  minimum: number | undefined;
  maximum: number | undefined;
  patterns: readonly string[];
} {
  const checks = (schema.def.checks ?? []).map((each) => check.parse(each._zod.def));
  return {
    minimum: checks.find((each) => each.check === 'min_length')?.minimum,
    maximum: checks.find((each) => each.check === 'max_length')?.maximum,
    patterns: checks.filter((each) => each.check === 'string_format').map(({ pattern }) => pattern.source),
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

function metaOf(schema: z.ZodType): StructuralSchema {
  const meta = knownMeta.parse(z.globalRegistry.get(schema) ?? {});
  return Object.fromEntries(Object.entries(meta).filter(([, value]) => value !== undefined));
}

/** zod's own types for what is inside are those of its core; every schema here is built from the classic ones. */
function type(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodType) return schema;
  throw new Error('not a zod schema');
}
