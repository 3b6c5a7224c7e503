import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { reasons } from '../../../src/resources/condition.ts';
import { definitions } from '../../../src/resources/definitions.ts';
import { customResourceDefinition } from '../../../scripts/custom-resource-definition.ts';
import { fieldReference } from '../../../scripts/field-reference.ts';
import type { Definition } from '../../../src/resources/schema/definition.ts';
import {
  toStructural,
  type StructuralSchema,
} from '../../../src/resources/schema/to-structural.ts';

const path = (text: string) => fileURLToPath(new URL(`../../../${text}`, import.meta.url));

const crd = z.looseObject({
  metadata: z.object({ name: z.string() }),
  spec: z.looseObject({
    versions: z.tuple([
      z.looseObject({
        schema: z.object({
          openAPIV3Schema: z.looseObject({
            properties: z.looseObject({ spec: z.unknown(), status: z.looseObject({}) }),
          }),
        }),
      }),
    ]),
  }),
});

/**
 * The constraints of a schema, without its descriptions. The keys of `properties` are data: a field may be called
 * description.
 */
function bare(value: unknown, isProperties = false): unknown {
  if (Array.isArray(value)) return value.map((each) => bare(each));
  const fields = z.record(z.string(), z.unknown()).safeParse(value);
  if (!fields.success) return value;
  const kept = Object.entries(fields.data).filter(([key]) => isProperties || key !== 'description');
  return Object.fromEntries(
    kept.map(([key, each]) => [
      key,
      key === 'required' ? sorted(each) : bare(each, key === 'properties'),
    ]),
  );
}

function sorted(value: unknown): unknown {
  return Array.isArray(value) ? value.map(String).toSorted() : value;
}

const text = await readFile(path('test/integration/crds/reference.yaml'), 'utf8');
const reference = parseAllDocuments(
  text.replaceAll('reference.managed-db.io', 'managed-db.io'),
).map((document) => crd.parse(document.toJS()));

describe.each(definitions)('the CRD of $kind', (definition) => {
  const made = crd.parse(customResourceDefinition(definition));
  const theirs = crd.parse(reference.find(({ metadata }) => metadata.name === made.metadata.name));
  const [{ schema: mySchema, ...myVersion }] = made.spec.versions;
  const [{ schema: theirSchema, ...theirVersion }] = theirs.spec.versions;
  const { properties: mine, ...myRoot } = mySchema.openAPIV3Schema;
  const { properties: wanted, ...theirRoot } = theirSchema.openAPIV3Schema;

  test('has the names, columns, rules and spec of the reference', () => {
    expect({ ...made.spec, versions: [] }).toEqual({ ...theirs.spec, versions: [] });
    expect(myVersion).toEqual(theirVersion);
    expect(bare(myRoot)).toEqual(bare(theirRoot));
    expect(bare(mine.spec)).toEqual(bare(wanted.spec));
  });

  test('has the default and the conditions of the reference, and never less than it in status', () => {
    const { properties: myStatus, ...myFrame } = toStatus(mine.status);
    const { properties: theirStatus, ...theirFrame } = toStatus(wanted.status);
    expect(bare(myFrame)).toEqual(bare(theirFrame));
    expect(bare(myStatus['conditions'])).toEqual(bare(theirStatus['conditions']));
  });

  test('describes every field of its spec, in a sentence', () => {
    const fields = fieldsOf(toStructural(definition.spec), 'spec');
    expect(fields.length).toBeGreaterThan(8);
    expect(
      fields
        .filter(({ schema }) => !/^[^ ].{12,}\.$/u.test(schema.description ?? ''))
        .map(({ name }) => name),
    ).toEqual([]);
  });

  test('describes every direct field of its status', () => {
    const fields = Object.entries(toStructural(definition.status).properties ?? {});
    expect(
      fields.filter(([, schema]) => (schema.description ?? '').length < 12).map(([name]) => name),
    ).toEqual([]);
  });

  test('excludes no word, requires no field and drops none in status, but in conditions', () => {
    const { properties } = toStatus(mine.status);
    const shape = JSON.stringify({ ...properties, conditions: {} });
    expect(shape).not.toMatch(
      /"(?:enum|required|maxLength|maximum|pattern|x-kubernetes-validations)"/u,
    );
    const closed = Object.entries(properties)
      .filter(([name]) => name !== 'conditions')
      .flatMap(([name, field]) => fieldsOf(structural.parse(field), name))
      .filter(({ schema }) => schema.properties && !schema['x-kubernetes-preserve-unknown-fields']);
    expect(closed).toEqual([]);
  });

  test('has a page in the field reference, with an example that its schema takes and every field', () => {
    const page = fieldReference(definition);
    const [, manifest = ''] = /```yaml\n(.*?)```/su.exec(page) ?? [];
    const example = z
      .looseObject({ apiVersion: z.string(), kind: z.string(), spec: definition.spec })
      .parse(parse(manifest));
    expect(example).toMatchObject({ apiVersion: 'managed-db.io/v1alpha1', kind: definition.kind });
    const names = fieldsOf(toStructural(definition.spec), 'spec').map(({ name }) =>
      name.replace('spec.', ''),
    );
    expect(names.slice(1).filter((name) => !page.includes(`| \`${name}\``))).toEqual([]);
  });
});

function toStatus(status: unknown) {
  return z.looseObject({ properties: z.record(z.string(), z.unknown()) }).parse(status);
}

const structural = z.custom<StructuralSchema>((value) => typeof value === 'object');

interface Field {
  readonly name: string;
  readonly schema: StructuralSchema;
}

function fieldsOf(schema: StructuralSchema, name: string): readonly Field[] {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([key, field]) =>
    fieldsOf(field, `${name}.${key}`),
  );
  // The description of a list also describes its items.
  const items = schema.items
    ? fieldsOf(schema.items, `${name}[]`).filter((field) => field.name !== `${name}[]`)
    : [];
  return [{ name, schema }, ...inner, ...items];
}

function isBounded(schema: StructuralSchema): boolean {
  return (
    schema.maximum !== undefined ||
    (schema['x-kubernetes-validations'] ?? []).some(({ rule }) => rule.includes('self <= '))
  );
}

const small: Definition = {
  kind: 'Thing',
  plural: 'things',
  singular: 'thing',
  shortName: 'th',
  description: 'A thing.',
  example: { name: 'one', spec: { size: 1 } },
  columns: [
    { name: 'Ready', type: 'string', jsonPath: '.status.ready' },
    { name: 'ID', type: 'string', jsonPath: '.status.id', wide: true },
  ],
  spec: z.object({
    size: z.int().min(1).describe('How | big.'),
    parts: z.array(z.object({ id: z.string() })).optional(),
  }),
  status: z.object({
    mode: z.enum(['a']).optional(),
    parts: z.array(z.object({ id: z.string() })).optional(),
  }),
  rootRules: [],
};

test('every number of a spec has an upper bound, in its schema or in a rule', () => {
  const fields = definitions.flatMap(({ kind, spec }) => fieldsOf(toStructural(spec), kind));
  const numbers = fields.filter(
    ({ schema }) =>
      /number|integer/u.test(schema.type ?? '') || schema['x-kubernetes-int-or-string'],
  );
  expect(numbers.length).toBeGreaterThan(5);
  expect(numbers.filter(({ schema }) => !isBounded(schema)).map(({ name }) => name)).toEqual([]);
});

test('a column shows with -o wide alone when it is wide', () => {
  expect(customResourceDefinition(small)).toHaveProperty(
    'spec.versions[0].additionalPrinterColumns',
    [
      { name: 'Ready', type: 'string', jsonPath: '.status.ready' },
      { name: 'ID', type: 'string', jsonPath: '.status.id', priority: 1 },
    ],
  );
});

test('the status of a kind is open, whatever its schema says', () => {
  const status = 'spec.versions[0].schema.openAPIV3Schema.properties.status.properties';
  const part = {
    type: 'object',
    properties: { id: { type: 'string' } },
    'x-kubernetes-preserve-unknown-fields': true,
  };
  expect(customResourceDefinition(small)).toHaveProperty(`${status}.mode`, { type: 'string' });
  expect(customResourceDefinition(small)).toHaveProperty(`${status}.parts`, {
    type: 'array',
    items: part,
  });
});

test('the page of a kind lists fields with their limits, below lists too, and bars do not break the table', () => {
  const page = fieldReference(small).split('\n');
  expect(page).toContain('| `size` * | integer from 1 | How \\| big. |');
  expect(page).toContain('| `parts[].id` * | string |  |');
  expect(page).toContain('| `mode` | `a` |  |');
});

test('no reason stands in two groups', () => {
  const all = Object.values(reasons).flat();
  expect(new Set(all).size).toBe(all.length);
});
