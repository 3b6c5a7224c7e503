import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { chart } from '../../bench/chart.ts';
import { explained, page } from '../../bench/page.ts';
import { judge } from '../../bench/table.ts';

const results = [
  judge({ id: 'create.operator-cpu', value: 7 }),
  judge({ id: 'create.heap', value: 25 }),
  judge({ id: 'memory.rss-empty', value: 40 }),
  judge({ id: 'restart.writes', value: 1 }),
];
const run = { date: '2026-11-22', machine: '2 × a <processor>', revision: 'abc', results };

test('the page in the docs explains the figures and budgets that there are', async () => {
  const written = await readFile(
    new URL('../../../docs/reference/benchmarks.md', import.meta.url),
    'utf8',
  );
  expect(
    written.startsWith(explained),
    'npm run bench -- --write-docs writes it; by hand: what page.ts says',
  ).toBe(true);
});

test('a run is shown with its machine and date, each figure beside its budget', () => {
  const text = page(run);
  expect(text).toContain('2026-11-22, revision abc, 2 × a <processor>.');
  expect(text).toContain(
    '| create | CPU of the operator, each service | 7 | ms | 3.5 | 2.00 | over |',
  );
  expect(text).toContain('| create | live heap | 25 | MiB |  |  |  |');
  expect(text).toContain('| restart | Kubernetes writes | 1 | writes | 0 | Infinity | over |');
});

test('a page without a run says so', () => {
  expect(page(undefined)).toBe(`${explained}\nNone yet from a machine that did nothing else.\n`);
});

test('the picture has a bar for each budget, as long as its share, and none beyond the edge', () => {
  const svg = chart(results, 'a & b');
  expect(svg).toContain('<title>a &amp; b</title>');
  const bars = [...svg.matchAll(/<rect class="(good|bad)" x="290" y="\d+" width="([\d.]+)"/gu)].map(
    ([, verdict, width]) => [verdict, Number(width)],
  );
  expect(bars).toEqual([
    ['bad', 420],
    ['good', 105],
    ['bad', 420],
  ]);
});
