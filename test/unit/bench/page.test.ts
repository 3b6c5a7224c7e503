import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { chart } from '../../bench/chart.ts';
import { figures, type Figure } from '../../bench/budgets.ts';
import { explained, fixedCells, page } from '../../bench/page.ts';
import { judge } from '../../bench/table.ts';

const results = [
  judge({ id: 'create.operator-cpu', value: 7 }),
  judge({ id: 'create.heap', value: 25 }),
  judge({ id: 'memory.rss-empty', value: 40 }),
  judge({ id: 'restart.writes', value: 1 }),
];
const run = { date: '2026-11-22', machine: '2 × a <processor>', revision: 'abc', results };

test('the page in the docs has the figures and budgets that there are', async () => {
  const written = await readFile(
    new URL('../../../docs/reference/benchmarks.md', import.meta.url),
    'utf8',
  );
  expect(
    written.startsWith(explained),
    'npm run bench -- --write-docs writes it; by hand: what page.ts says',
  ).toBe(true);
  const rows = written.split('\n').filter((line) => /^\| [a-z-]+ \| .*\d/u.test(line));
  expect(rows.map((row) => row.replace(/[^|]*\|$/u, ''))).toEqual(
    figures.filter((figure: Figure) => figure.most !== undefined).map(fixedCells),
  );
});

test('a run is shown with its machine and date, each figure beside its budget', () => {
  const text = page(run);
  expect(text).toContain('2026-11-22, revision abc, 2 × a <processor>.');
  expect(text).toContain(
    '| create | CPU of the operator, each service | 3.5 ms | Until all are Ready; the median of all rounds. | 7, over |',
  );
  expect(text).toContain('| memory | RSS with no service | 80 MiB | After the start. | 40 |');
  expect(text).not.toContain('live heap |');
});

test('a page without a run says so', () => {
  expect(page(undefined)).toContain(
    `${explained}\nNone yet from a machine that did nothing else.\n`,
  );
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
