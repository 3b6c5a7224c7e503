import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { readFile } from 'node:fs/promises';
import { customResourceDefinitions, fieldsMissingIn } from '../../../src/reconcile/process/custom-resource-definition.ts';
import { kinds, resourceTypes, type Kind } from '../../../src/resources/managed-object.ts';
import { missingFields } from '../../../src/resources/schema/missing-fields.ts';
import type { StructuralSchema } from '../../../src/resources/schema/structural-schema.ts';

const text: StructuralSchema = { type: 'string' };
const object = (properties: Record<string, StructuralSchema>): StructuralSchema => ({ type: 'object', properties });
const list = (items: StructuralSchema): StructuralSchema => ({ type: 'array', items });
const keeping: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

describe('the fields that the API server drops', () => {
  test.each<[string, StructuralSchema, StructuralSchema | undefined, readonly string[]]>([
    ['none, if it has the same', object({ a: text }), object({ a: text }), []],
    ['none, if it has more', object({ a: text }), object({ a: text, b: object({ c: text }) }), []],
    ['none, if only limits and types differ', object({ a: { ...text, maxLength: 9 } }), object({ a: { type: 'integer' } }), []],
    ['one that it lacks', object({ a: text, b: text }), object({ a: text }), ['spec.b']],
    ['a branch, by its first field', object({ a: object({ b: text, c: text }) }), object({}), ['spec.a']],
    ['one below another', object({ a: object({ b: text, c: text }) }), object({ a: object({ c: text }) }), ['spec.a.b']],
    ['one in the items of a list', object({ a: list(object({ b: text })) }), object({ a: list(object({})) }), ['spec.a[].b']],
    ['all, if it has no spec', object({ a: text }), undefined, ['spec']],
    ['none, where it keeps what it does not know', object({ a: object({ b: text }) }), object({ a: keeping }), []],
    ['none, where anything goes', object({ a: keeping }), object({ a: keeping }), []],
  ])('%s', (_, own, served, missing) => {
    expect(missingFields(own, served, 'spec')).toEqual(missing);
  });
});

const manifest = async (kind: Kind) => {
  const content = await readFile(new URL(`../../../crds/${resourceTypes[kind].plural}.yaml`, import.meta.url), 'utf8');
  return z.looseObject({}).parse(parse(content));
};

test.each(kinds)('the definition of %s in crds/ lacks nothing, as the API server shows it', async (kind) => {
  const metadata = { name: 'any', uid: 'uid', resourceVersion: '1' };
  const definition = { ...(await manifest(kind)), metadata };
  expect(fieldsMissingIn(customResourceDefinitions.parse(definition), kind)).toEqual([]);
  const ofOtherVersion: unknown = JSON.parse(JSON.stringify(definition).replaceAll('"v1alpha1"', '"v1alpha0"'));
  expect(fieldsMissingIn(customResourceDefinitions.parse(ofOtherVersion), kind)).toEqual(['spec']);
});
