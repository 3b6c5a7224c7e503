import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { checkedPatterns } from '../../scripts/chart/checked-patterns.ts';
import { valuesSchema } from '../../scripts/chart/render-values.ts';
import { rows } from '../integration/chart/rows.ts';

/** Helm quotes the pattern that refuses a value. */
const longestRead = 80;

test('no pattern that Helm quotes is longer than a line', () => {
  const patterns: string[] = [];
  JSON.parse(valuesSchema, (name, value: unknown) => {
    if (name === 'pattern' && typeof value === 'string') patterns.push(value);
    return value;
  });
  expect(patterns.length).toBeGreaterThan(50);
  expect(patterns.filter((pattern) => pattern.length > longestRead)).toEqual([]);
});

test.each(Object.keys(checkedPatterns))(
  'a check of the chart holds values against the pattern %s, which the schema leaves out',
  async (name) => {
    const checks = await readFile(
      new URL('../../deploy/helm/managed-db-operator/templates/_checks.tpl', import.meta.url),
      'utf8',
    );
    expect(checks).toContain(`regexMatch (include "operator.pattern.${name}" $)`);
  },
);

test('each row about a value has something that the value changes', () => {
  expect(rows.filter(({ changes }) => changes.length === 0).map(({ path }) => path)).toEqual([]);
});
