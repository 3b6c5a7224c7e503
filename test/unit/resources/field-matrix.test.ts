import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { resourceTypes } from '../../../src/resources/managed-object.ts';
import { fieldMatrix, refusedByApiServer } from './field-matrix.ts';

const schema = z.object({
  get properties() {
    return z.record(z.string(), schema).optional();
  },
  get items() {
    return schema.optional();
  },
});
type Schema = z.infer<typeof schema>;
const crd = z.object({
  spec: z.object({
    versions: z.tuple([z.object({ schema: z.object({ openAPIV3Schema: schema }) })]),
  }),
});

const path = (name: string) => fileURLToPath(new URL(`../../../${name}`, import.meta.url));

/** The fields that hold a value, by their path; those of a list's items with `[]`. */
function fieldsIn({ properties, items }: Schema, at: string): readonly string[] {
  if (properties)
    return Object.entries(properties).flatMap(([name, below]) =>
      fieldsIn(below, at === '' ? name : `${at}.${name}`),
    );
  return items?.properties ? fieldsIn(items, `${at}[]`) : [at];
}

/** Of the CustomResourceDefinition as it is installed. */
async function fieldsOf(plural: string): Promise<readonly string[]> {
  const { spec } = crd.parse(parse(await readFile(path(`crds/${plural}.yaml`), 'utf8')));
  return fieldsIn(spec.versions[0].schema.openAPIV3Schema.properties?.['spec'] ?? {}, '');
}

const quoted = String.raw`'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"`;

const values = await readFile(path('test/support/service-values.ts'), 'utf8');

/** Whether a file has a test of this title. A placeholder in its title stands for a text that this file or the table of values quotes. */
function shows(title: string, file: string): boolean {
  const texts = new Set(
    [...`${file}\n${values}`.matchAll(new RegExp(quoted, 'gu'))].map(
      ([, single, double]) => single ?? double,
    ),
  );
  const titles = [...file.matchAll(new RegExp(String.raw`\(\s*(?:${quoted}),`, 'gu'))].map(
    ([, single, double]) => single ?? double ?? '',
  );
  return titles.some((template) => {
    const pattern = template
      .split(/\$\w+/u)
      .map((part) => RegExp.escape(part))
      .join('(.+)');
    return new RegExp(`^${pattern}$`, 'u')
      .exec(title)
      ?.slice(1)
      .every((text) => texts.has(text));
  });
}

const integration = path('test/integration/reconcile');
const files = await Promise.all(
  (await readdir(integration))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => readFile(`${integration}/${name}`, 'utf8')),
);

const types = Object.values(resourceTypes);

/** The files that make the rows of fieldMatrix. */
const places = [
  'a value of a service that may change belongs in test/support/service-values.ts',
  'a field that is fixed at creation in "changed" of test/integration/reconcile/refused-fields.ts',
  'any other field in test/unit/resources/field-matrix.ts',
].join(', ');

test('each kind has a table', () => {
  expect(Object.keys(fieldMatrix)).toEqual(types.map(({ kind }) => kind));
});

test.each(types)(
  'each field of a $kind has a row, and each row a field',
  async ({ kind, plural }) => {
    const fields = await fieldsOf(plural);
    expect(fields.length).toBeGreaterThan(10);
    const rows = Object.keys(fieldMatrix[kind]);
    expect(
      fields.filter((field) => !rows.includes(field)),
      `${kind}: these fields have no row: ${places}`,
    ).toEqual([]);
    expect(
      rows.filter((row) => !fields.includes(row)),
      `${kind}: the CRD has no field for these rows: run npm run generate, or remove the rows`,
    ).toEqual([]);
  },
);

test.each(types)(
  'a wrong value of each field of a $kind is refused by the API server, in a test',
  ({ kind }) => {
    const untested = Object.keys(fieldMatrix[kind]).filter(
      (field) => !refusedByApiServer.has(`${kind}: a wrong ${field} is refused by the API server`),
    );
    expect(
      untested,
      `${kind}: add these fields to "wrong" in test/integration/reconcile/refused-fields.ts`,
    ).toEqual([]);
  },
);

test.each(types)(
  'change, drift, removal and refusal of each field of a $kind are shown by a test that exists',
  ({ kind }) => {
    const missing = Object.entries(fieldMatrix[kind]).flatMap(([field, cells]) =>
      cells
        .flatMap((cell) => ('shownBy' in cell ? [cell.shownBy] : []))
        .filter(
          (title) => !refusedByApiServer.has(title) && !files.some((file) => shows(title, file)),
        )
        .map((title) => `${field}: ${title}`),
    );
    expect(missing).toEqual([]);
  },
);

test('a test title that is only similar to a table entry does not count', () => {
  const file = `test.each(rows)('$field: it holds', () => {}); test('plain', () => {}); const rows = [{ field: 'size' }]; expect('no title');`;
  const titles = ['size: it holds', 'plain', 'speed: it holds', 'size: it', 'no title', 'plai'];
  expect(titles.filter((title) => shows(title, file))).toEqual(['size: it holds', 'plain']);
});
