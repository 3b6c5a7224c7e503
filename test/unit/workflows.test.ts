import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const folder = new URL('../../.github/workflows/', import.meta.url);

test('every action of a workflow is pinned to a commit, and each workflow starts with the right to read alone', async () => {
  const names = await readdir(folder);
  expect(names).toContain('release.yaml');
  for (const name of names) {
    const text = await readFile(new URL(name, folder), 'utf8');
    const actions = [...text.matchAll(/uses: (\S+)/gu)].map(([, action]) => action);
    expect(actions.filter((action) => !/@[a-f0-9]{40}$/u.test(action ?? ''))).toEqual([]);
    expect(parse(text)).toMatchObject({ permissions: { contents: 'read' } });
  }
});
