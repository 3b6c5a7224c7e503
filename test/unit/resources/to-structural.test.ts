import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { checkedBy, fixed } from '../../../src/resources/rule.ts';
import { toStructural } from '../../../src/resources/schema/to-structural.ts';

describe('a zod schema becomes the structural schema that means the same:', () => {
  test.each<[string, z.ZodType, object]>([
    ['a text', z.string(), { type: 'string' }],
    [
      'a text with limits and a pattern',
      z
        .string()
        .min(1)
        .max(9)
        .regex(/^[a-z]$/u),
      { type: 'string', minLength: 1, maxLength: 9, pattern: '^[a-z]$' },
    ],
    ['a word of several', z.enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
    ['a single word', z.literal('a'), { type: 'string', enum: ['a'] }],
    ['a truth', z.boolean(), { type: 'boolean' }],
    ['a whole number', z.int(), { type: 'integer' }],
    [
      'a whole number with limits',
      z.int().min(0).max(100),
      { type: 'integer', minimum: 0, maximum: 100 },
    ],
    ['any number', z.number(), { type: 'number' }],
    [
      'a list with limits',
      z.array(z.string()).min(1).max(8),
      { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 8 },
    ],
    [
      'a map of checked texts',
      z.record(z.string(), z.string().max(3)),
      { type: 'object', additionalProperties: { type: 'string', maxLength: 3 } },
    ],
    [
      'a map of anything',
      z.record(z.string(), z.unknown()),
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    ],
    ['anything', z.unknown(), { 'x-kubernetes-preserve-unknown-fields': true }],
    [
      'a number or a word',
      z.union([z.int(), z.literal('shared')]),
      { 'x-kubernetes-int-or-string': true },
    ],
  ])('%s', (_, schema, structural) => {
    expect(toStructural(schema)).toEqual(structural);
  });

  test('a field is required unless it is optional or has a default', () => {
    const schema = z.object({
      a: z.string(),
      b: z.string().optional(),
      c: z.string().default('x'),
    });
    expect(toStructural(schema)).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string' },
        b: { type: 'string' },
        c: { type: 'string', default: 'x' },
      },
      required: ['a'],
    });
  });

  test('an object of optional fields requires nothing, and says so by silence', () => {
    expect(toStructural(z.object({ a: z.string().optional() }))).not.toHaveProperty('required');
  });

  test.each<[string, z.ZodType]>([
    ['before', z.string().describe('A field.').optional()],
    ['after', z.string().optional().describe('A field.')],
    ['as meta', z.string().optional().meta({ description: 'A field.' })],
  ])('a description stays, given %s optional', (_, schema) => {
    expect(toStructural(schema)).toEqual({ type: 'string', description: 'A field.' });
  });

  test('rules and extensions of Kubernetes stand as they are', () => {
    const rule = { rule: 'self == oldSelf', message: 'fixed' };
    const schema = z
      .array(z.string())
      .meta({ ...checkedBy(rule), 'x-kubernetes-list-type': 'set' });
    expect(toStructural(schema)).toMatchObject({
      'x-kubernetes-validations': [rule],
      'x-kubernetes-list-type': 'set',
    });
  });
});

describe('a schema that Kubernetes cannot express is refused:', () => {
  test.each<[string, z.ZodType]>([
    ['null', z.null()],
    ['a text or null', z.string().nullable()],
    ['a union of words and objects', z.union([z.string(), z.object({})])],
    ['a transformation', z.string().transform(Number)],
    ['a date', z.date()],
    ['two patterns', z.string().regex(/a/u).regex(/b/u)],
    ['a pattern that ignores case', z.string().regex(/a/iu)],
    ['a check in TypeScript on a text', z.string().refine((text) => text !== 'x')],
    [
      'a check in TypeScript on a list',
      z.array(z.string()).refine((list) => list.length % 2 === 0),
    ],
    ['a check in TypeScript on an object', z.object({}).refine(() => true)],
    ['a check in TypeScript on a number', z.int().refine((count) => count !== 13)],
    ['a check in TypeScript on a map', z.record(z.string(), z.string()).refine(() => true)],
    ['a limit that is left out itself', z.int().positive()],
    ['a step', z.int().multipleOf(4)],
    ['a map whose keys have limits', z.record(z.string().max(3), z.string())],
    ['an object that refuses other fields', z.strictObject({})],
    ['an extension nobody knows', z.string().meta({ 'x-kubernetes-tpye': 'set' })],
  ])('%s', (_, schema) => {
    expect(() => toStructural(z.object({ deep: z.array(schema) }))).toThrow(Error);
  });

  test('the refusal of a limit names the path of its field', () => {
    expect(() => toStructural(z.object({ deep: z.array(z.int().positive()) }))).toThrow(
      /deep[^]*exclusiveMinimum|exclusiveMinimum[^]*deep/u,
    );
  });

  test('the refusal of a check in TypeScript names the path of its field', () => {
    expect(() => toStructural(z.object({ deep: z.string().refine(() => true) }))).toThrow(
      /^properties\.deep: /u,
    );
  });
});

test('a fixed field cannot be added, removed or changed', () => {
  expect(fixed('name', 'no')).toEqual({
    rule: 'has(self.name) == has(oldSelf.name) && (!has(self.name) || self.name == oldSelf.name)',
    message: 'no; if this object has no status.id, delete it and apply it again',
    fieldPath: '.name',
  });
});
