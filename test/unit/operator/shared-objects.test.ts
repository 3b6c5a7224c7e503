import { expect, test } from 'vitest';
import { operatorCaches } from '../../../src/operator/caches.ts';
import { sharedObjects } from '../../../src/operator/controllers.ts';
import { evidence } from '../../../src/reconcile/wiring/evidence.ts';
import { memory } from '../../../src/reconcile/wiring/memory.ts';
import { drainLabel, shardLabel } from '../../../src/resources/shard-labels.ts';
import {
  type KubernetesClient,
  KubernetesError,
  loopGuard,
  objectCache,
  resourceKey,
} from '../../../src/runtime/index.ts';
import { handClock } from '../../support/hand-clock.ts';
import { emptyEntry, ledgerEntry, unreadableEntry } from '../../support/ledger-entry.ts';
import { serviceObject } from '../../support/situation.ts';

/** The objects of several processes. (docs/safety.md, Several processes act) */

const key = resourceKey('shop', 'orders');
const labels = { [shardLabel('databases')]: 'a', [drainLabel('databases')]: 'true' };

const releasedEntry = ledgerEntry(
  { deletionStarted: { id: 'svc-1' } },
  { deletionTimestamp: '2026-01-01T00:00:00Z' },
);

/** @param patch the API server's reaction to a patch */
function shared(
  object = serviceObject({}, {}, { metadata: { labels } }),
  patch: (body: unknown) => void = () => undefined,
) {
  const caches = operatorCaches({ cache: () => objectCache([undefined]) }, 'managed-db-ledger');
  caches.of('ManagedService').wrote(object);
  const forgotten: string[] = [];
  const known = memory();
  const clock = handClock();
  const kubernetes: Pick<KubernetesClient, 'patch'> = {
    patch(type, _key, body) {
      patch(body);
      return Promise.resolve(
        type.parse({
          ...object,
          metadata: { ...object.metadata, labels: {}, resourceVersion: '2' },
        }),
      );
    },
  };
  const objects = sharedObjects('ManagedService', {
    caches,
    clusterUid: 'cluster',
    memory: known,
    evidence: evidence(),
    clock,
    kubernetes,
    loops: loopGuard(),
    accounts: { forget: (user) => void forgotten.push(`key of ${user}`) },
    subscriptions: { forget: (user) => void forgotten.push(`lists of ${user}`) },
  });
  return { objects, caches, known, clock, forgotten };
}

test.each([
  ['an object without ledger entry is untouched', undefined, {}, true],
  ['an object with an empty ledger entry is touched', emptyEntry, {}, false],
  ['an object with a resource is touched', ledgerEntry(), {}, false],
  ['an object whose ledger entry cannot be read is touched', unreadableEntry, {}, false],
  [
    'an object without ledger entry whose status names a resource is touched',
    undefined,
    { id: 'svc-1' },
    false,
  ],
])('%s', (_, entry, status, isUntouched) => {
  const { objects, caches } = shared(serviceObject({}, {}, { status }));
  if (entry) caches.ledger.entries.wrote(entry);
  expect(objects.isUntouched(key)).toBe(isUntouched);
});

test.each([
  ['no ledger entry leaves no work', undefined, false],
  ['an entry whose deletion has begun must end', releasedEntry, true],
  ['an entry about no resource must end', emptyEntry, true],
  ['an entry about a resource stays', ledgerEntry(), false],
  ['an entry of another cluster stays', ledgerEntry({ clusterUid: 'other', id: undefined }), false],
])('after the end of an object, %s', (_, entry, hasRemains) => {
  const { objects, caches } = shared();
  if (entry) caches.ledger.entries.wrote(entry);
  expect(objects.hasRemains(key)).toBe(hasRemains);
});

test('an object is released in the version that was seen, and loses both labels in a single write', async () => {
  const bodies: unknown[] = [];
  const { objects, caches } = shared(undefined, (body) => bodies.push(body));
  await objects.letGo(key, Object.keys(labels));
  const gone = Object.fromEntries(Object.keys(labels).map((name) => [name, null]));
  expect(bodies).toEqual([{ metadata: { uid: 'uid', resourceVersion: '1', labels: gone } }]);
  expect(caches.of('ManagedService').get(key)?.metadata.labels).toEqual({});
});

test.each<KubernetesError['kind']>(['conflict', 'notFound'])(
  'an object that has changed is released in a later visit: %s',
  async (kind) => {
    const { objects, caches } = shared(undefined, () => {
      throw new KubernetesError({ operation: 'patch', kind });
    });
    await objects.letGo(key, Object.keys(labels));
    expect(caches.of('ManagedService').get(key)?.metadata.labels).toEqual(labels);
  },
);

test('an error of Kubernetes during a release fails the visit', async () => {
  const error = new KubernetesError({ operation: 'patch', kind: 'server' });
  const { objects } = shared(undefined, () => {
    throw error;
  });
  await expect(objects.letGo(key, Object.keys(labels))).rejects.toBe(error);
});

test('an object that may have belonged to a second process loses its remembered state, and earlier lists do not count', () => {
  const { objects, known, clock, forgotten } = shared();
  known.of('ManagedService', key).failures = 3;
  clock.pass(60_000);
  objects.begin(key);
  expect(known.known('ManagedService', key)).toMatchObject({ failures: 0, unclearAt: clock.now() });
  expect(forgotten).toEqual([
    'key of ManagedService/shop/orders',
    'lists of ManagedService/shop/orders',
  ]);
});

test('the remembered state of an object of a second process is dropped', () => {
  const { objects, known } = shared();
  known.of('ManagedService', key).failures = 3;
  objects.forget(key);
  expect(known.known('ManagedService', key)).toMatchObject({ failures: 0 });
});
