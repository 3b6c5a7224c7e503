import { expect, test } from 'vitest';
import { kinds } from '../../../src/resources/managed-object.ts';
import { allBlocks, manifestBlocks, pages } from './pages.ts';

/** Matches our kinds in any language, with any quotes, at any depth. */
const ofOurs = new RegExp(`\\bkind["']?: *["']?(?:${kinds.join('|')})\\b`, 'gu');
const count = (text: string) => text.match(ofOurs)?.length ?? 0;

/** Not an object, but a part of an object for another tool: the service of a ServiceBinding. */
const named: ReadonlyMap<string, number> = new Map([['docs/first-database.md', 1]]);

test('each manifest of ours on a page is in a block that the tests apply until it is Ready', () => {
  const applied = pages.map(({ text }) => manifestBlocks(text).map(count));
  expect(applied.flat().length).toBeGreaterThan(20);
  const others = pages.flatMap(({ path, text }, index) => {
    const left = count(text) - (applied[index] ?? []).reduce((sum, each) => sum + each, 0);
    return left === 0 ? [] : [[path, left]];
  });
  expect(others).toEqual([...named]);
});

test('each manifest on a page is in a block of YAML, which the API server is asked about', () => {
  const elsewhere = pages.flatMap(({ path, text }) =>
    allBlocks(text)
      .filter(
        ({ language, content }) =>
          !['yaml', 'ts'].includes(language) && /^\s*["']?apiVersion["']?:/mu.test(content),
      )
      .map(() => path),
  );
  expect(elsewhere).toEqual([]);
});
