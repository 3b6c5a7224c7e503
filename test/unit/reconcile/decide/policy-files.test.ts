import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../../../../src/reconcile/', import.meta.url));
const find = (pattern: string) => globSync(pattern, { cwd: folder });
const textOf = (file: string) => readFileSync(`${folder}${file}`, 'utf8');

test('every rule stands in a policy, or in a rule that does', () => {
  const rules = find('{decide,kinds/*}/rules/*.ts');
  const named = rules.flatMap((file) => {
    const exported = textOf(file).matchAll(/^export (?:const|function) (\w+)/gmu);
    return [...exported].map(([, name = '']) => ({ file, name }));
  });
  const users = [...new Set([...rules, ...find('kinds/**/*.ts'), ...find('decide/**/*.ts')])];
  const texts = users.map((file) => ({ file, text: textOf(file) }));
  const forgotten = named.filter(({ file, name }) => {
    const imported = new RegExp(`^import [^;]*\\b${name}\\b[^;]*;`, 'mu');
    return !texts.some((user) => user.file !== file && imported.test(user.text));
  });
  expect(named).not.toEqual([]);
  expect(forgotten).toEqual([]);
});
