import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stringify } from 'yaml';
import { definitions as metrics, usageDefinitions } from '../src/operator/metrics/definitions.ts';
import { definitions } from '../src/resources/definitions.ts';
import { argumentsOf } from './arguments.ts';
import { patternsTemplate } from './chart/checked-patterns.ts';
import { kindsTemplate } from './chart/kinds.ts';
import {
  misnomersTemplate,
  neededTemplate,
  valuesPage,
  valuesSchema,
  valuesYaml,
} from './chart/render-values.ts';
import { customResourceDefinition } from './custom-resource-definition.ts';
import { fieldReference } from './field-reference.ts';
import { metricsPage } from './metrics-page.ts';
import { openApiYaml } from './openapi-document.ts';
import { perObjectMetrics } from './per-object-metrics.ts';

// Writes the generated files: crds/, docs/reference/, and in the chart its CRDs and values.
// With --check it writes nothing and fails for a stale file.

const { check: isCheck = false } = argumentsOf('npm run generate -- [--check]', {
  check: { type: 'boolean' },
}).values;
const root = new URL('../', import.meta.url);
const header = '# Generated from src/resources by npm run generate. Do not edit.\n';
const chart = 'deploy/helm/managed-db-operator';
const files = [
  ...definitions.flatMap((definition) => {
    const crd =
      header +
      stringify(customResourceDefinition(definition), {
        version: '1.1',
        lineWidth: 0,
        aliasDuplicateObjects: false,
      });
    return [
      { path: `crds/${definition.plural}.yaml`, text: crd },
      { path: `${chart}/files/crds/${definition.plural}.yaml`, text: crd },
      {
        path: `docs/reference/${definition.kind.toLowerCase()}.md`,
        text: fieldReference(definition),
      },
    ];
  }),
  { path: `${chart}/values.yaml`, text: valuesYaml },
  { path: `${chart}/values.schema.json`, text: valuesSchema },
  { path: `${chart}/templates/_patterns.tpl`, text: patternsTemplate },
  { path: `${chart}/templates/_kinds.tpl`, text: kindsTemplate },
  { path: `${chart}/templates/_needed.tpl`, text: neededTemplate },
  { path: `${chart}/templates/_misnomers.tpl`, text: misnomersTemplate },
  { path: 'docs/reference/values.md', text: valuesPage },
  {
    path: 'docs/reference/metrics.md',
    text: metricsPage(
      Object.values(metrics),
      Object.values(usageDefinitions),
      await perObjectMetrics(),
    ),
  },
  { path: 'docs/reference/openapi.yaml', text: openApiYaml() },
];

const stale: string[] = [];
for (const { path, text } of files) {
  const url = new URL(path, root);
  const current = await readFile(url, 'utf8').catch(() => undefined);
  if (current === text) continue;
  stale.push(path);
  if (isCheck) continue;
  await mkdir(dirname(url.pathname), { recursive: true });
  await writeFile(url, text);
}
for (const path of stale)
  process.stdout.write(isCheck ? `${path} is stale: npm run generate\n` : `${path} written\n`);
if (isCheck && stale.length > 0) process.exitCode = 1;
