import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { definitions } from '../../../src/resources/definitions.ts';

const root = new URL('../../../', import.meta.url);
const chart = 'deploy/helm/managed-db-operator';
const install = await readFile(new URL('deploy/install.yaml', root), 'utf8');

async function textsIn(...folders: readonly string[]) {
  const texts = folders.map(async (folder) => {
    const entries = await readdir(new URL(folder, root), { withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map(({ name }) => `${folder}/${name}`);
    return Promise.all(
      paths.map(async (path) => ({ path, text: await readFile(new URL(path, root), 'utf8') })),
    );
  });
  return (await Promise.all(texts)).flat();
}

/** The kinds that a text names, by kind or by plural. */
const namedIn = (text: string) =>
  definitions.filter(({ plural, kind }) => text.includes(plural) || text.includes(kind));
/** Files about several kinds, not about a single kind. */
const files = (await textsIn(`${chart}/files`, 'deploy', 'crds')).filter(
  ({ text }) => namedIn(text).length > 1,
);

test.each(
  files.filter(({ path }) => !definitions.some(({ plural }) => path.endsWith(`/${plural}.yaml`))),
)('$path names every kind', ({ text }) => {
  expect(namedIn(text)).toEqual(definitions);
});

test('templates take their lists of kinds from the one that is generated', async () => {
  const lists = (await textsIn(`${chart}/templates`))
    .filter(({ text }) => namedIn(text).length > 2)
    .map(({ path }) => path);
  expect(lists).toEqual([`${chart}/templates/_kinds.tpl`]);
});

test('a list of install.yaml that names three kinds names every kind', () => {
  const lists = [...install.matchAll(/\[[^\][]*\]/gu)]
    .map(([list]) => list)
    .filter((list) => namedIn(list).length >= 3);
  expect(lists.length).toBeGreaterThan(5);
  expect(lists.filter((list) => namedIn(list).length < definitions.length)).toEqual([]);
});

test('a namespace with a protected object of any kind has a policy that keeps it', () => {
  const kept = [
    ...install.matchAll(
      /^ {2}paramKind: \{apiVersion: managed-db\.io\/v1alpha1, kind: (\w+)\}$/gmu,
    ),
  ].map(([, kind]) => kind);
  expect(new Set(kept)).toEqual(new Set(definitions.map(({ kind }) => kind)));
});
