import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { guards } from '../../attack/guards.ts';
import { spans } from './pages.ts';

/** The page that lists each hole with its rule, test and guard. */

const root = new URL('../../../', import.meta.url);
const page = readFileSync(new URL('test/attack/README.md', root), 'utf8');
const isThere = (path: string) => existsSync(new URL(path, root));
const isRule = (path: string) => ['src/', ''].some((folder) => isThere(`${folder}${path}`));
const cells = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
/** Five cells between six bars: the table of files has two. */
const holes = cells.filter(({ length, 1: hole }) => length === 7 && hole !== 'hole' && hole !== '---');

test('each hole has a rule and tests, which are where the page says', () => {
  expect(holes.length).toBeGreaterThan(40);
  const wrong = holes.filter(({ 3: rule = '', 4: tests = '' }) => {
    const named = [spans(rule), spans(tests)] as const;
    return named.some(({ length }) => length === 0) || !named[0].every(isRule) || !named[1].every((path) => isThere(`test/${path}`));
  });
  expect(wrong.map(([, hole]) => hole)).toEqual([]);
});

test('each guard that the page names is in the list of guards', () => {
  const names = new Set(guards.map(({ name }) => name));
  const named = holes.map(({ 5: guard = '' }) => guard).filter((guard) => guard !== '' && guard !== '_rules_');
  expect(named.filter((guard) => !names.has(guard))).toEqual([]);
});
