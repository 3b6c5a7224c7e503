import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { definitions } from '../../../src/resources/definitions.ts';

const root = new URL('../../../', import.meta.url);
const chart = 'deploy/helm/managed-db-operator';
const folders = [`${chart}/templates`, `${chart}/files`, 'deploy', 'crds'];
const texts = await Promise.all(
  folders.map(async (folder) => {
    const entries = await readdir(new URL(folder, root), { withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map(({ name }) => `${folder}/${name}`);
    return Promise.all(paths.map(async (path) => ({ path, text: await readFile(new URL(path, root), 'utf8') })));
  }),
);
/** The kinds that a text names, by kind or by plural. */
const namedIn = (text: string) => definitions.filter(({ plural, kind }) => text.includes(plural) || text.includes(kind));
/** Files that are about kinds, and not about one of them. */
const files = texts.flat().filter(({ text }) => namedIn(text).length > 1);

test.each(files.filter(({ path }) => !definitions.some(({ plural }) => path.endsWith(`/${plural}.yaml`))))(
  '$path names every kind',
  ({ text }) => {
    expect(namedIn(text)).toEqual(definitions);
  },
);

test('a list that names three kinds names every kind', () => {
  const rows = files.flatMap(({ path, text }) =>
    [...text.matchAll(/\[[^\][]*\]|\(?(?:list|dict) "[^)\n]*/gu)].map(([list]) => ({ path, list })),
  );
  const ofKinds = rows.filter(({ list }) => namedIn(list).length >= 3);
  expect(ofKinds.length).toBeGreaterThan(5);
  expect(ofKinds.filter(({ list }) => namedIn(list).length < definitions.length)).toEqual([]);
});

test('a namespace with a protected object of any kind has a policy that keeps it', () => {
  const policies = texts.flat().find(({ path }) => path === `${chart}/templates/policies.yaml`)?.text ?? '';
  const kept = [...policies.matchAll(/^ {2}paramKind: \{apiVersion: managed-db\.io\/v1alpha1, kind: (\w+)\}$/gmu)].map(([, kind]) => kind);
  expect(new Set(kept)).toEqual(new Set(definitions.map(({ kind }) => kind)));
});
