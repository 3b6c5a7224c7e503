import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { readFile } from 'node:fs/promises';
import {
  customResourceDefinitions,
  definitionReader,
  describeOutdated,
} from '../../../src/reconcile/wiring/custom-resource-definition.ts';
import { kinds, resourceTypes, type Kind } from '../../../src/resources/managed-object.ts';
import { missingFields } from '../../../src/resources/schema/missing-fields.ts';
import { systemClock, type KubernetesClient } from '../../../src/runtime/index.ts';
import type { StructuralSchema } from '../../../src/resources/schema/to-structural.ts';

const text: StructuralSchema = { type: 'string' };
const object = (properties: Record<string, StructuralSchema>): StructuralSchema => ({
  type: 'object',
  properties,
});
const list = (items: StructuralSchema): StructuralSchema => ({ type: 'array', items });
const keeping: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

describe('the fields that the API server drops', () => {
  test.each<[string, StructuralSchema, StructuralSchema | undefined, readonly string[]]>([
    ['none, if it has the same', object({ a: text }), object({ a: text }), []],
    ['none, if it has more', object({ a: text }), object({ a: text, b: object({ c: text }) }), []],
    [
      'none, if only limits and types differ',
      object({ a: { ...text, maxLength: 9 } }),
      object({ a: { type: 'integer' } }),
      [],
    ],
    ['one that it lacks', object({ a: text, b: text }), object({ a: text }), ['spec.b']],
    [
      'a branch, by its first field',
      object({ a: object({ b: text, c: text }) }),
      object({}),
      ['spec.a'],
    ],
    [
      'one below another',
      object({ a: object({ b: text, c: text }) }),
      object({ a: object({ c: text }) }),
      ['spec.a.b'],
    ],
    [
      'one in the items of a list',
      object({ a: list(object({ b: text })) }),
      object({ a: list(object({})) }),
      ['spec.a[].b'],
    ],
    ['all, if it has no spec', object({ a: text }), undefined, ['spec']],
    [
      'none, where it keeps what it does not know',
      object({ a: object({ b: text }) }),
      object({ a: keeping }),
      [],
    ],
    ['none, where anything goes', object({ a: keeping }), object({ a: keeping }), []],
  ])('%s', (_, own, served, missing) => {
    expect(missingFields(own, served, 'spec')).toEqual(missing);
  });
});

const manifest = async (kind: Kind) => {
  const content = await readFile(
    new URL(`../../../crds/${resourceTypes[kind].plural}.yaml`, import.meta.url),
    'utf8',
  );
  return z.looseObject({}).parse(parse(content));
};

const metadata = { name: 'any', uid: 'uid', resourceVersion: '1' };
/** The CRD as the API server shows it. @param change alters the text of the manifest */
const shownBy = async (kind: Kind, change: (manifestText: string) => string = (same) => same) =>
  customResourceDefinitions.parse(
    JSON.parse(change(JSON.stringify({ ...(await manifest(kind)), metadata }))),
  );

test.each(kinds)(
  'the definition of %s in crds/ lacks nothing, as the API server shows it',
  async (kind) => {
    expect(describeOutdated(kind, await shownBy(kind))).toBeUndefined();
    const ofOtherVersion = await shownBy(kind, (all) => all.replaceAll('"v1alpha1"', '"v1alpha0"'));
    expect(describeOutdated(kind, ofOtherVersion)).toContain('the API server drops spec: ');
  },
);

const renamed = (names: readonly string[]) => (all: string) =>
  names.reduce((now, name) => now.replaceAll(`"${name}":`, `"${name}Old":`), all);
const outdated =
  'the CustomResourceDefinition managedservices.managed-db.io is older than the operator, so that the API server drops';
const remedy =
  'set crds.install=true in an installation of the chart of this version, or run kubectl apply -f crds in a clone of it';

test.each<[sentence: string, names: readonly string[], said: RegExp]>([
  ['a field', ['deletionPolicy'], /^spec\.deletionPolicy$/u],
  [
    'many fields, of which the message names three,',
    [
      'cpuMillis',
      'memoryGbs',
      'suspend',
      'regionCode',
      'deletionPolicy',
      'managementPolicy',
      'powerState',
    ],
    /^(?:spec\.\w+, ){2}spec\.\w+ and 4 more$/u,
  ],
])('a definition that lacks %s is described as older than the operator', async (_, names, said) => {
  const message =
    describeOutdated('ManagedService', await shownBy('ManagedService', renamed(names))) ?? '';
  expect(message.slice(0, outdated.length)).toBe(outdated);
  expect(message.slice(-remedy.length - 2)).toBe(`: ${remedy}`);
  expect(message.slice(outdated.length + 1, -remedy.length - 2)).toMatch(said);
});

test('an older definition is reported to the process, and the visit that reads it fails', async () => {
  const found = {
    ManagedService: await shownBy('ManagedService', renamed(['deletionPolicy'])),
    ManagedVpc: await shownBy('ManagedVpc'),
  };
  const reported: string[] = [];
  const kubernetes: Pick<KubernetesClient, 'get'> = {
    get: (type, key) =>
      Promise.resolve(
        type.parse(key.includes('managedservices') ? found.ManagedService : found.ManagedVpc),
      ),
  };
  const definitionOf = definitionReader(kubernetes, [], systemClock, (why) => reported.push(why));
  expect(await definitionOf('ManagedVpc')).toEqual(found.ManagedVpc);
  expect(reported).toEqual([]);
  await expect(definitionOf('ManagedService')).rejects.toThrow(`${outdated} spec.deletionPolicy`);
  expect(reported).toEqual([expect.stringContaining(`${outdated} spec.deletionPolicy`)]);
});
