import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { definitions } from '../../../src/resources/definitions.ts';

const chart = new URL('../../../deploy/helm/managed-db-operator/', import.meta.url);
const plurals = definitions.map(({ plural }) => plural);
const lists = await Promise.all(
  ['templates/', 'files/'].map(async (folder) => {
    const names = (await readdir(new URL(folder, chart))).filter((name) => name.endsWith('.yaml'));
    return Promise.all(names.map(async (name) => ({ name, text: await readFile(new URL(`${folder}${name}`, chart), 'utf8') })));
  }),
);
const files = lists.flat().filter(({ text }) => plurals.some((plural) => text.includes(plural)));

test.each(files)('$name names every kind', ({ text }) => {
  expect(plurals.filter((plural) => !text.includes(plural))).toEqual([]);
});

test('a list of the chart that names three kinds names every kind', () => {
  const rows = files.flatMap(({ name, text }) => [...text.matchAll(/\[[^\][]*\]/gu)].map(([list]) => ({ name, list })));
  const ofKinds = rows.filter(({ list }) => plurals.filter((plural) => list.includes(plural)).length >= 3);
  expect(ofKinds.length).toBeGreaterThan(5);
  expect(ofKinds.filter(({ list }) => plurals.some((plural) => !list.includes(plural)))).toEqual([]);
});
