import { expect, test } from 'vitest';
import { keptCaches } from '../../../src/runtime/kept-caches.ts';
import type { KubernetesObject, ResourceType } from '../../../src/runtime/kubernetes-object.ts';
import type { FillableCache } from '../../../src/runtime/object-cache.ts';
import type { Watches } from '../../../src/runtime/reflector.ts';

const object = (name: string, labels?: Record<string, string>): KubernetesObject => ({
  metadata: { name, namespace: 'shop', uid: name, resourceVersion: '5', labels },
});
const held = (
  resourceVersion: string,
  finalizers: readonly string[],
  deletionTimestamp?: string,
): KubernetesObject => ({
  metadata: { ...object('orders').metadata, resourceVersion, finalizers, deletionTimestamp },
});
const secrets: ResourceType<KubernetesObject> = {
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  parse: () => object('any'),
};

/** Watches with empty lists, and the requests to them. */
function silent() {
  const asked: unknown[] = [];
  const watching: Watches = {
    into(type, cache, where) {
      asked.push([type.plural, where]);
      cache.replace(where.namespace, [], '1');
    },
    ended: () => Promise.resolve(),
  };
  return { asked, watching };
}

test('each cache is filled from each namespace, by the labels that it was asked for', async () => {
  const { asked, watching } = silent();
  const caches = keptCaches(['shop', 'office']);
  caches.add(secrets);
  caches.add(secrets, { part: 'connection', held: { any: true } });
  await caches.fillFrom(watching, new AbortController().signal);
  expect(asked).toEqual([
    ['secrets', { namespace: 'shop' }],
    ['secrets', { namespace: 'office' }],
    ['secrets', { namespace: 'shop', labelSelector: 'part=connection,held' }],
    ['secrets', { namespace: 'office', labelSelector: 'part=connection,held' }],
  ]);
});

test('a cache with its own namespaces is filled from these namespaces alone', async () => {
  const { asked, watching } = silent();
  const caches = keptCaches([undefined]);
  caches.add(secrets);
  const ledger = caches.add(secrets, { part: 'ledger' }, ['ledger']);
  await caches.fillFrom(watching, new AbortController().signal);
  expect(asked).toEqual([
    ['secrets', { namespace: undefined }],
    ['secrets', { namespace: 'ledger', labelSelector: 'part=ledger' }],
  ]);
  expect(ledger.synced).toBe(true);
});

test('a cache is not filled before the last of its lists', async () => {
  const end = new AbortController();
  const caches = keptCaches(['shop', 'office']);
  const cache = caches.add(secrets);
  const half: Watches = {
    into: (_type, of, { namespace }) => namespace === 'shop' && of.replace(namespace, [], '1'),
    ended: () => Promise.resolve(),
  };
  const filled = caches.fillFrom(half, end.signal);
  expect(cache.synced).toBe(false);
  end.abort(new Error('stopped'));
  await expect(filled).rejects.toThrow('stopped');
});

test.each([
  ['both labels', { part: 'connection', held: 'x' }, true],
  ['a wrong value of the first label', { part: 'other', held: 'x' }, false],
  ['only the first label', { part: 'connection' }, false],
  ['no labels', undefined, false],
])('an own write with %s is kept exactly if the watch selects the object', (_, labels, isKept) => {
  const cache = keptCaches(['shop']).add(secrets, { part: 'connection', held: { any: true } });
  cache.wrote(object('orders', labels));
  expect([...cache.values()]).toHaveLength(isKept ? 1 : 0);
});

test.each([
  [
    'a list',
    (cache: FillableCache<KubernetesObject>, seen: KubernetesObject) =>
      cache.replace('shop', [seen], '9'),
  ],
  [
    'the list of a restored server',
    (cache: FillableCache<KubernetesObject>, seen: KubernetesObject) =>
      cache.rewind('shop', [seen], '9'),
  ],
  [
    'a watch',
    (cache: FillableCache<KubernetesObject>, seen: KubernetesObject) => cache.apply(seen),
  ],
  [
    'an own write',
    (cache: FillableCache<KubernetesObject>, seen: KubernetesObject) => cache.wrote(seen),
  ],
])(
  'an object that is being deleted leaves its cache when %s shows it without the finalizer of its type, and does not come back',
  (_, show) => {
    const cache = keptCaches(['shop']).add({ ...secrets, finalizer: 'ours' });
    const changes: string[] = [];
    cache.onChange(({ type }) => void changes.push(type));
    cache.apply(held('5', []));
    cache.apply(held('6', ['ours', 'hook'], 'now'));
    show(cache, held('7', ['hook'], 'now'));
    cache.apply(held('6', ['ours', 'hook'], 'now'));
    cache.apply(held('10', ['hook'], 'now'));
    cache.remove(held('11', [], 'now'));
    expect([changes, [...cache.values()]]).toEqual([['added', 'updated', 'deleted'], []]);
    expect(cache.covers('shop', [held('10', ['hook'], 'now')], '11')).toBe(true);
  },
);
