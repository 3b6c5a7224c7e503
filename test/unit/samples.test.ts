import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const folder = new URL('../../deploy/samples/', import.meta.url);
const text = (name: string) => readFile(new URL(name, folder), 'utf8');

test('all.yaml contains exactly the objects of the other samples', async () => {
  const parts = (await readdir(folder)).filter((name) => name !== 'all.yaml');
  expect(parts.length).toBeGreaterThan(3);
  expect((await text('all.yaml')).split(/^---\n/mu).toSorted()).toEqual(
    (await Promise.all(parts.map(text))).toSorted(),
  );
});
