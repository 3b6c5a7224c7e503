import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/** The linter finds circles of values. A circle of types compiles, too, but no reader can begin to read it. */

const files = globSync('src/**/*.ts');

/** The files that a file imports, also those of which it imports only types. */
const imports = new Map(
  files.map((file) => {
    const found = readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(?<path>\.[^']+)'/gu);
    return [file, [...found].map(({ groups }) => join(dirname(file), groups?.['path'] ?? ''))];
  }),
);

/** The files that are left after each file is removed that imports only removed files: those of circles, and their importers. */
function unordered(): readonly string[] {
  const left = new Set(files);
  for (let before = Infinity; left.size < before;) {
    before = left.size;
    for (const file of left)
      if (imports.get(file)?.every((other) => !left.has(other)) === true) left.delete(file);
  }
  return [...left];
}

test('no files import each other in a circle, even for types', () => {
  expect(imports.get(join('src', 'main.ts'))?.length).toBeGreaterThan(0);
  expect(unordered()).toEqual([]);
});
