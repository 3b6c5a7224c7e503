import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { perObjectMetrics } from '../../../scripts/per-object-metrics.ts';
import { settingsTable } from '../../../src/config/settings-table.ts';
import { ofOurs, ofUsage } from '../../support/served-metrics.ts';
import { pages, spans } from './pages.ts';
import { resourceTypes } from '../../../src/resources/managed-object.ts';

const source = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** Each unknown name, with its page. The changelog may also name removed features. */
function unknown(
  named: (text: string) => readonly string[],
  isKnown: (name: string) => boolean,
): readonly string[] {
  const current = pages.filter(({ path }) => path !== 'CHANGELOG.md');
  return current.flatMap(({ path, text }) =>
    named(text).flatMap((name) => (isKnown(name) ? [] : [`${path}: ${name}`])),
  );
}

/** Flags of other programs, and of our own that are no settings of the operator. */
const otherFlags = new Set(
  [
    '--version --help --once --verbose',
    '--port --host --latency --time-scale --list-lag --regions --sizes --project --api-key',
    '--seed --steps --lives',
    '--quick --count --rounds --minutes --before --json --write-docs',
    '--set --wait --take-ownership --force-conflicts --reuse-values --reset-then-reuse-values',
    '--custom-resource-state-config-file --audit-policy-file',
    '--now --yes --revoke --for',
    '--output-dir --manage --credentials-ref --delete --fail-on --credentials --operator --timeout --server-side --field-manager',
  ].flatMap((flags) => flags.split(' ')),
);
const ownFlags = new Set(settingsTable.map(({ flag }) => `--${flag}`));
const ownVariables = new Set([
  ...settingsTable.map(({ variable }) => variable),
  'MANAGED_DB_API_KEY',
  'MANAGED_DB_TEST_KUBERNETES',
]);

test('each flag that a page names is one', () => {
  expect(
    unknown(
      (text) => spans(text).flatMap((span) => /^--[a-z][a-z-]*/u.exec(span)?.[0] ?? []),
      (flag) => ownFlags.has(flag) || otherFlags.has(flag),
    ),
  ).toEqual([]);
});

test('each variable of ours that a page names is one', () => {
  expect(
    unknown(
      (text) => text.match(/\bMANAGED_DB_[A-Z_]*[A-Z]\b/gu) ?? [],
      (variable) => ownVariables.has(variable),
    ),
  ).toEqual([]);
});

test('each metric that a page names is served, by the operator or by kube-state-metrics', async () => {
  const perObject = new Set((await perObjectMetrics()).map(({ name }) => name));
  const names = /\b(?:managed_db|workqueue|rest_client|leader_election)_[a-z_]*[a-z]\b/gu;
  const isServed = (name: string) =>
    perObject.has(name) ||
    ofUsage.includes(name) ||
    ofOurs.has(name) ||
    ofOurs.has(name.replace(/_(?:bucket|sum|count)$/u, ''));
  expect(
    unknown((text) => spans(text).flatMap((span) => span.match(names) ?? []), isServed),
  ).toEqual([]);
});

test('each annotation, label and finalizer that a page names is explained on theirs', async () => {
  const names = /\b(?:reconcile\.)?managed-db\.io\/[a-z]\w*(?:-\w+)*/gu;
  const explained = new Set((await source('docs/reference/annotations.md')).match(names));
  const named = (text: string) => spans(text).flatMap((span) => span.match(names) ?? []);
  expect(unknown(named, (name) => name.endsWith('/v1alpha1') || explained.has(name))).toEqual([]);
});

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly items?: Schema | undefined;
}
const schema: z.ZodType<Schema> = z.object({
  properties: z
    .record(
      z.string(),
      z.lazy(() => schema),
    )
    .optional(),
  items: z.lazy(() => schema).optional(),
});

/** Whether the schema has the field; a schema without properties accepts any field. */
function has(within: Schema, [field, ...rest]: readonly string[]): boolean {
  const { properties } = within.items ?? within;
  if (field === undefined || !properties) return true;
  const next = properties[field];
  return next !== undefined && has(next, rest);
}

test('each field of spec and status that a page names is in a definition', async () => {
  const texts = await Promise.all(
    Object.values(resourceTypes).map(({ plural }) => source(`crds/${plural}.yaml`)),
  );
  const crd = z.object({
    spec: z.object({
      versions: z.array(z.object({ schema: z.object({ openAPIV3Schema: schema }) })),
    }),
  });
  const kinds = texts.flatMap((text) =>
    crd.parse(parse(text)).spec.versions.map((version) => version.schema.openAPIV3Schema),
  );
  expect(
    unknown(
      (text) =>
        spans(text).flatMap(
          (span) => /^(?:spec|status)(?:\.[a-zA-Z]+)+(?=$|:)/u.exec(span)?.[0] ?? [],
        ),
      (field) => kinds.some((kind) => has(kind, field.split('.'))),
    ),
  ).toEqual([]);
});

test('each value of the chart that a page names is one', async () => {
  const chart = schema.parse(
    JSON.parse(await source('deploy/helm/managed-db-operator/values.schema.json')),
  );
  const path = new RegExp(
    `^(?:${Object.keys(chart.properties ?? {}).join('|')})(?:\\.[a-zA-Z]+)+(?=$|[:=])`,
    'u',
  );
  const values = (text: string) => spans(text).flatMap((span) => path.exec(span)?.[0] ?? []);
  expect(
    unknown(
      values,
      (value) => /\.(?:ts|md|yaml|json)$/u.test(value) || has(chart, value.split('.')),
    ),
  ).toEqual([]);
});

test('each command of npm that a page names is there', async () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(await source('package.json')));
  expect(
    unknown(
      (text) => [...text.matchAll(/npm run ([a-z][\w:-]*)/gu)].map(([, name = '']) => name),
      (name) => name in scripts,
    ),
  ).toEqual([]);
});
