import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const path = (name: string) => new URL(`../../${name}`, import.meta.url).pathname;

/**
 * Comparisons with a reason of a condition, or of an earlier create. The runtime compares reasons of Kubernetes. A switch over
 * a reason and a table by reasons have no such text.
 */
const comparisons = [
  /\b(?:reason|stalled|waiting)(?: \?\? '')?\)?\s*[!=]==\s*'/u,
  /'\s*[!=]==\s*(?:[\w?]+\.)*reason\b/u,
  /\.(?:has|includes)\((?:[\w?()]+\.)*reason\b/u,
];

test('only src/resources/condition.ts compares a reason with a plain text', () => {
  const files = globSync(path('src/**/*.ts')).filter(
    (file) => !/\/src\/(?:runtime\/|resources\/condition\.ts)/u.test(file),
  );
  expect(files.length).toBeGreaterThan(200);
  const found = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => comparisons.some((comparison) => comparison.test(line)))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});
