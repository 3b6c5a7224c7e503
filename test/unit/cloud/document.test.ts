import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { operations } from '../../../src/cloud/wire/all.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { cloudDocument } from '../../support/cloud-document.ts';
import { missingAndUnknown, none } from '../missing-and-unknown.ts';
import { allOperations } from './operations.ts';

const text = await readFile(
  new URL('../../../docs/reference/openapi.yaml', import.meta.url),
  'utf8',
);
const content: unknown = parse(text);
const parts = z
  .object({ schema: z.looseObject({}), example: z.unknown(), examples: z.array(z.unknown()) })
  .partial();
const document = cloudDocument(JSON.stringify(content));

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  expect(await validator.validate(text)).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
});

test('the document has every operation of the client, and no other', () => {
  expect(missingAndUnknown(document.statuses.keys(), Object.keys(operations))).toEqual(none);
});

test('each operation has a tag', () => {
  const operationsOrParameters = z.union([
    z.object({ tags: z.tuple([z.string()]) }),
    z.array(z.unknown()),
  ]);
  const tagged = z.object({
    paths: z.record(z.string(), z.record(z.string(), operationsOrParameters)),
  });
  expect(tagged.safeParse(content).error).toBeUndefined();
});

test.each(allOperations)(
  '%s is asked for as the document has it',
  (operation, { method, path, body }) => {
    const requestBody = body === undefined ? undefined : JSON.stringify(body);
    expect(document.requestProblems({ method, path, requestBody })).toEqual([]);
    expect(document.operationOf(method, path)).toBe(operation);
  },
);

const allExamples = examplesIn(content);

test('the examples of the document match its schemas', () => {
  expect(allExamples.length).toBeGreaterThan(30);
  expect(
    allExamples.flatMap(({ path, schema, example }) =>
      document.problemsOf(schema, example).map((wrong) => `${path}: ${wrong}`),
    ),
  ).toEqual([]);
});

test('the simulator serves the document without a key', async () => {
  await using simulator = await startSimulator();
  const yaml = await fetch(`${simulator.url}/openapi.yaml`);
  expect(yaml.headers.get('content-type')).toBe('application/yaml; charset=utf-8');
  expect(await yaml.text()).toBe(text);
});

interface Example {
  readonly path: string;
  readonly schema: object;
  readonly example: unknown;
}

/** Those that stand beside a schema, and those in a schema. */
function examplesIn(value: unknown, path = ''): readonly Example[] {
  if (typeof value !== 'object' || value === null) return [];
  const { schema, example, examples } = parts.safeParse(value).data ?? {};
  const beside = schema && example !== undefined ? [{ path, schema, example }] : [];
  const within = (examples ?? []).map((each) => ({ path, schema: value, example: each }));
  return [
    ...beside,
    ...within,
    ...Object.entries(value).flatMap(([name, each]) => examplesIn(each, `${path}/${name}`)),
  ];
}
