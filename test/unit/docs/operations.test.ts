import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { operations } from '../../../src/cloud/wire/all.ts';

const all = Object.keys(operations);

test('the table of calls has every operation of the cloud, by its name or by how its name begins', () => {
  const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('## What calls the cloud\n');
  const rows = [...section.matchAll(/^\| `([^|]+)` \|/gmu)].flatMap(([, names = '']) =>
    names.split('`, `'),
  );
  const found = rows.flatMap((row) =>
    all.filter((operation) =>
      row.endsWith('…') ? operation.startsWith(row.slice(0, -1)) : operation === row,
    ),
  );
  expect(found.toSorted()).toEqual(all.toSorted());
  expect(
    rows.filter((row) => !all.some((operation) => operation.startsWith(row.replace('…', '')))),
  ).toEqual([]);
});
