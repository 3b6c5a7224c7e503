import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { reasons } from '../../../src/resources/condition.ts';

const path = (name: string) => fileURLToPath(new URL(`../../../${name}`, import.meta.url));
const all: readonly string[] = Object.values(reasons).flat();

test('an integration test produces every reason, some of them by the table of values', () => {
  const tests = globSync([
    path('test/integration/**/*.test.ts'),
    path('test/support/service-values.ts'),
  ]).map((file) => readFileSync(file, 'utf8'));
  expect(
    all.filter(
      (reason) =>
        !tests.some((text) => text.includes(`'${reason}'`) || text.includes(`+${reason}`)),
    ),
  ).toEqual([]);
});

test('the page of reasons explains every reason', () => {
  const page = readFileSync(path('docs/reasons.md'), 'utf8');
  expect(all.filter((reason) => !page.includes(`### ${reason}\n`))).toEqual([]);
});
