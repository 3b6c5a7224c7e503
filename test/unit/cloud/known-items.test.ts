import { expect, test } from 'vitest';
import * as z from 'zod';
import { KnownItems, readSuccess } from '../../../src/cloud/read-reply.ts';

/** Of a long list, the client parses again only the items whose text has changed. */

const services = (count: number, status: (index: number) => string = () => 'READY') =>
  Array.from({ length: count }, (_, index) => ({ service_id: `s${index}`, name: `orders-${index}`, status: status(index) }));

async function listOf(items: readonly object[], known: KnownItems, project = 'p'): Promise<readonly unknown[]> {
  const { value } = await readSuccess(
    'listServices',
    [project],
    { status: 200, headers: {}, body: JSON.stringify(items), cut: undefined },
    known,
  );
  return z.array(z.unknown()).parse(value);
}

/** How many items of the second list are those of the first. */
const shared = (first: readonly unknown[], second: readonly unknown[]) => second.filter((item) => first.includes(item)).length;

test('each unchanged item of a long list is the object from the list before', async () => {
  const known = new KnownItems();
  const first = await listOf(services(600), known);
  const changed = services(600, (index) => (index === 7 ? 'RESIZING' : 'READY'));
  const second = await listOf(changed, known);
  expect(shared(first, second)).toBe(599);
  expect(second).toEqual(await listOf(changed, new KnownItems()));
});

test('a list has its own order, repeated items, missing items and new items', async () => {
  const known = new KnownItems();
  await listOf(services(600), known);
  const [one, other, ...rest] = services(700);
  const items = [...rest, other, one, one].filter((item) => item !== undefined);
  const read = await listOf(items, known);
  expect(read).toEqual(await listOf(items, new KnownItems()));
  expect(read).toHaveLength(701);
});

test('an item that was missing from a list in between is read again', async () => {
  const known = new KnownItems();
  const first = await listOf(services(600), known);
  await listOf(services(550), known);
  const third = await listOf(services(600), known);
  expect(shared(first, third)).toBe(550);
});

test('a short list and a long list that has become short are not remembered', async () => {
  const known = new KnownItems();
  const short = await listOf(services(499), known);
  expect(shared(short, await listOf(services(499), known))).toBe(0);
  const long = await listOf(services(500), known);
  await listOf(services(1), known);
  expect(shared(long, await listOf(services(500), known))).toBe(0);
});

test('each project has its own remembered items', async () => {
  const known = new KnownItems();
  const first = await listOf(services(600), known, 'p');
  expect(shared(first, await listOf(services(600), known, 'q'))).toBe(0);
});

test('of more lists than one client polls, those that were read last are remembered', async () => {
  const known = new KnownItems();
  const first = await listOf(services(500), known, 'p0');
  for (let other = 1; other < 8; other += 1) await listOf(services(500), known, `p${other}`);
  const again = await listOf(services(500), known, 'p0');
  expect(shared(first, again)).toBe(500);
  for (let other = 11; other < 19; other += 1) await listOf(services(500), known, `p${other}`);
  expect(shared(first, await listOf(services(500), known, 'p0'))).toBe(0);
});

test('a list with an item that cannot be read fails each time, and leaves what was known', async () => {
  const known = new KnownItems();
  const first = await listOf(services(600), known);
  const broken = [...services(600), { service_id: 7 }];
  for (let time = 0; time < 2; time += 1) await expect(listOf(broken, known)).rejects.toMatchObject({ kind: 'unreadable' });
  expect(shared(first, await listOf(services(600), known))).toBe(600);
});
