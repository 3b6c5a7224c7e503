import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { operations } from '../../../src/cloud/operations/all.ts';

test('the table of calls has every operation of the cloud', () => {
  const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('## What calls the cloud\n');
  const table = [...section.matchAll(/^\| `(\w+)` \|/gmu)].map(([, operation = '']) => operation);
  expect(table.toSorted()).toEqual(Object.keys(operations).toSorted());
});
