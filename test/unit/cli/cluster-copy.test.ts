import { expect, test } from 'vitest';
import { clusterCopy } from '../../../src/cli/copy/cluster-copy.ts';
import { mergePatched } from '../../../src/cli/copy/merge-patch.ts';
import {
  resourceKey,
  type KubernetesObject,
  type ResourceType,
} from '../../../src/runtime/index.ts';

type Thing = KubernetesObject & { readonly data?: unknown; readonly status?: unknown };

const things: ResourceType<Thing> = {
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the test makes the objects
  parse: (value) => value as Thing,
};
const metadataOf = { ...things, metadataOnly: true };
const key = resourceKey('shop', 'a');
const thing = (more: object = {}) => ({
  metadata: { name: 'a', namespace: 'shop', uid: 'u', resourceVersion: '7', ...more },
  data: { k: 'v' },
});

function copied(live?: Thing) {
  const reads: string[] = [];
  const copy = clusterCopy({
    get: (type) => {
      reads.push(type.metadataOnly === true ? 'metadata' : 'whole');
      return Promise.resolve(live && type.parse(live));
    },
    list: () => Promise.reject(new Error('lists are loaded')),
  });
  return { copy, reads };
}

test('an object that was not loaded is read once, and one that was deleted in the copy is not read again', async () => {
  const { copy, reads } = copied(thing());
  expect(await copy.client.get(things, key)).toMatchObject({ data: { k: 'v' } });
  await copy.client.get(things, key);
  expect(reads).toEqual(['whole']);
  expect(await copy.client.delete(things, key)).toBeUndefined();
  expect(await copy.client.get(things, key)).toBeUndefined();
  expect(reads).toEqual(['whole']);
});

test('a reader of the content of an object that was loaded as metadata gets the content, and the metadata of the copy', async () => {
  const { copy, reads } = copied(thing());
  const { data: _data, ...metadata } = thing();
  copy.load(metadataOf, [metadata]);
  await copy.client.patch(metadataOf, key, { metadata: { labels: { x: 'y' } } });
  expect(await copy.client.get(things, key)).toMatchObject({
    data: { k: 'v' },
    metadata: { labels: { x: 'y' } },
  });
  expect(reads).toEqual(['whole']);
});

test('an outdated write is a conflict, a second create fails, and a dry run stores nothing', async () => {
  const { copy } = copied();
  copy.load(things, [thing()]);
  const outdated = { metadata: { uid: 'u', resourceVersion: '6' }, data: { k: 'w' } };
  await expect(copy.client.patch(things, key, outdated)).rejects.toMatchObject({
    kind: 'conflict',
  });
  await expect(copy.client.create(things, 'shop', thing())).rejects.toMatchObject({
    kind: 'alreadyExists',
  });
  await copy.client.patch(things, key, { data: { k: 'w' } }, { dryRun: true });
  expect(await copy.client.get(things, key)).toMatchObject({
    data: { k: 'v' },
    metadata: { resourceVersion: '7' },
  });
});

test('a deleted object stays until its last finalizer is gone, and each write reaches the caches', async () => {
  const { copy } = copied();
  const cache = copy.cache(things, { x: 'y' });
  copy.load(things, [thing({ finalizers: ['f'], labels: { x: 'y' } })]);
  expect(cache.get(key)?.metadata.resourceVersion).toBe('7');
  expect(await copy.client.delete(things, key)).toMatchObject({ metadata: { finalizers: ['f'] } });
  expect(cache.get(key)?.metadata.deletionTimestamp).toBeDefined();
  await copy.client.patch(things, key, { metadata: { finalizers: null } });
  expect(cache.get(key)).toBeUndefined();
  expect(await copy.client.get(things, key)).toBeUndefined();
});

test('a write of the status changes the status alone, and another write does not change it', async () => {
  const { copy } = copied();
  copy.load(things, [thing()]);
  await copy.client.patch(
    things,
    key,
    { status: { s: 1 }, data: { k: 'w' } },
    { subresource: 'status' },
  );
  await copy.client.patch(things, key, { status: { s: 2 }, data: { l: 'x' } });
  expect(await copy.client.get(things, key)).toMatchObject({
    status: { s: 1 },
    data: { k: 'v', l: 'x' },
  });
});

test.for([
  [{ a: 1, b: { c: 2 } }, { b: { c: null, d: 3 } }, { a: 1, b: { d: 3 } }],
  [{ a: [1, 2] }, { a: [3] }, { a: [3] }],
  [{ a: 1 }, { a: undefined }, { a: 1 }],
  [{ a: 'text' }, { a: { b: 1 } }, { a: { b: 1 } }],
] as const)('%j patched with %j is %j', ([before, patch, after]) => {
  expect(mergePatched(before, patch)).toEqual(after);
});
