import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const folder = new URL('../../../src/reconcile/', import.meta.url);
const find = (pattern: string) => globSync(pattern, { cwd: fileURLToPath(folder) }).map((path) => new URL(path, folder));

function importedBy(file: URL): readonly string[] {
  const imports = readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+)'/gu);
  return [...imports].map(([, path = '']) => new URL(path, file).href);
}

test('every rule stands in a policy, or in a rule that does', () => {
  const rules = find('{decide,kinds/*}/rules/*.ts');
  const imported = new Set([...find('kinds/*/policy.ts'), ...rules].flatMap(importedBy));
  const forgotten = rules.filter(({ href }) => !imported.has(href)).map(({ href }) => href.replace(folder.href, ''));
  expect(rules).not.toEqual([]);
  expect(forgotten).toEqual([]);
});
