import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { yamlBlocks } from './docs/pages.ts';

const folder = new URL('../../deploy/samples/', import.meta.url);
const text = (name: string) => readFile(new URL(name, folder), 'utf8');

test('all.yaml contains exactly the objects of the other samples', async () => {
  const parts = (await readdir(folder)).filter((name) => name !== 'all.yaml');
  expect(parts.length).toBeGreaterThan(3);
  expect((await text('all.yaml')).split(/^---\n/mu).toSorted()).toEqual(
    (await Promise.all(parts.map(text))).toSorted(),
  );
});

test('the page about tenants shows the file of a tenant that deploy/ has', async () => {
  const [page, file] = await Promise.all(
    ['docs/tenant.md', 'deploy/tenant.example.yaml'].map((path) =>
      readFile(new URL(`../../${path}`, import.meta.url), 'utf8'),
    ),
  );
  expect(yamlBlocks(page ?? '')).toEqual([file]);
});
