import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { stringify } from 'yaml';
import { definitions } from '../src/resources/definitions.ts';
import { customResourceDefinition } from '../src/resources/schema/definition.ts';
import { fieldReference } from '../src/resources/schema/field-reference.ts';

// Writes what is made from the schemas: crds/ and docs/reference/. With --check it writes nothing and fails when something is stale.

const root = new URL('../', import.meta.url);
const header = '# Generated from src/resources by npm run generate. Do not edit.\n';
const files = definitions.flatMap((definition) => [
  {
    path: `crds/${definition.plural}.yaml`,
    text: header + stringify(customResourceDefinition(definition), { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false }),
  },
  { path: `docs/reference/${definition.kind.toLowerCase()}.md`, text: fieldReference(definition) },
]);

const stale: string[] = [];
for (const { path, text } of files) {
  const url = new URL(path, root);
  const current = await readFile(url, 'utf8').catch(() => undefined);
  if (current === text) continue;
  stale.push(path);
  if (process.argv.includes('--check')) continue;
  await mkdir(dirname(url.pathname), { recursive: true });
  await writeFile(url, text);
}
const isCheck = process.argv.includes('--check');
for (const path of stale) process.stdout.write(isCheck ? `${path} is stale: npm run generate\n` : `${path} written\n`);
if (isCheck && stale.length > 0) process.exitCode = 1;
