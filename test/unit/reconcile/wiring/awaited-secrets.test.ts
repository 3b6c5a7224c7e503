import { expect, test } from 'vitest';
import { operatorCaches } from '../../../../src/operator/caches.ts';
import { watchAwaitedSecrets, wakeUsersOf } from '../../../../src/reconcile/wiring/wake-ups.ts';
import type { SecretMetadata } from '../../../../src/resources/secret-metadata.ts';
import {
  objectCache,
  type FillableCache,
  type KubernetesObject,
  type ResourceType,
} from '../../../../src/runtime/index.ts';

interface Watch {
  readonly namespace: string;
  readonly secrets: FillableCache<SecretMetadata>;
  readonly signal: AbortSignal;
}

const status = (reason: string) => ({
  conditions: [
    {
      type: 'Synced',
      status: 'False',
      reason,
      message: '',
      lastTransitionTime: '2026-11-21T09:30:00Z',
    },
  ],
});

/** Caches that the test fills, the watches that are open, and who was woken. */
function waiting() {
  const ofKind = new Map<string, { apply(object: unknown): void; remove(object: unknown): void }>();
  const caches = operatorCaches(
    {
      cache<T extends KubernetesObject>(type: ResourceType<T>) {
        const cache = objectCache<T>([undefined]);
        ofKind.set(type.kind, {
          apply: (object) => cache.apply(type.parse(object)),
          remove: (object) => cache.remove(type.parse(object)),
        });
        return cache;
      },
    },
    'ledger',
  );
  const watches: Watch[] = [];
  const woken: string[] = [];
  watchAwaitedSecrets(
    caches,
    (namespace, secrets, signal) => void watches.push({ namespace, secrets, signal }),
    (secret, who) =>
      wakeUsersOf(secret, caches, (kind, key) => void woken.push(`${kind} ${key}`), who),
  );
  let version = 0;
  const metadata = (name: string, namespace: string) => ({
    name,
    namespace,
    uid: `${namespace}/${name}`,
    resourceVersion: String((version += 1)),
  });
  return {
    ofKind,
    woken,
    open: () => watches.filter(({ signal }) => !signal.aborted).map(({ namespace }) => namespace),
    vpc(name: string, reason: string, { namespace = 'shop', key = 'cloud' } = {}) {
      const spec = {
        cidr: '10.0.0.0/16',
        regionCode: 'eu-central-1',
        ...(key === '' ? {} : { credentialsRef: { name: key } }),
      };
      const object = { metadata: metadata(name, namespace), spec, status: status(reason) };
      ofKind.get('ManagedVpc')?.apply(object);
      return object;
    },
    service(name: string, reason: string, spec: object) {
      ofKind
        .get('ManagedService')
        ?.apply({ metadata: metadata(name, 'shop'), spec, status: status(reason) });
    },
    secret: (name: string) => ({ metadata: metadata(name, 'shop') }),
    secrets: () => watches.at(-1)?.secrets,
  };
}

test.each([
  ['WaitingForCredentials', ['shop']],
  ['Unauthorized', ['shop']],
  ['ForeignProject', ['shop']],
  ['Available', []],
  ['WaitingForReference', []],
])(
  'a namespace is watched while an object in it that names a key says %s: %j',
  (reason, expected) => {
    const there = waiting();
    there.vpc('prod', reason);
    expect(there.open()).toEqual(expected);
  },
);

test('an object whose connection Secret has the name of another Secret waits for the end of that', () => {
  const there = waiting();
  there.service('orders', 'SecretConflict', {});
  expect(there.open()).toEqual(['shop']);
  const foreign = there.secret('orders-db');
  there.secrets()?.apply(foreign);
  there.woken.length = 0;
  there.secrets()?.remove(there.secret('other'));
  expect(there.woken).toEqual([]);
  there.secrets()?.remove(foreign);
  expect(there.woken).toEqual(['ManagedService shop/orders']);
});

test('a missing password Secret is waited for', () => {
  const there = waiting();
  there.service('orders', 'WaitingForReference', { password: { secretRef: { name: 'mine' } } });
  expect(there.open()).toEqual(['shop']);
});

test('the operator has no Secret to wait for where its own key does not do', () => {
  const there = waiting();
  there.vpc('prod', 'Unauthorized', { key: '' });
  expect(there.open()).toEqual([]);
});

test('the watch ends with the last that waits, whether it got its key or went', () => {
  const there = waiting();
  there.vpc('a', 'WaitingForCredentials');
  there.vpc('b', 'Unauthorized');
  there.vpc('a', 'Available');
  expect(there.open()).toEqual(['shop']);
  there.ofKind.get('ManagedVpc')?.remove(there.vpc('b', 'Unauthorized'));
  expect(there.open()).toEqual([]);
  there.vpc('a', 'Unauthorized');
  expect(there.open()).toEqual(['shop']);
});

test('a Secret that appears or changes wakes exactly the objects that name the Secret', () => {
  const there = waiting();
  there.vpc('a', 'WaitingForCredentials');
  there.vpc('b', 'WaitingForCredentials', { key: 'other' });
  there.vpc('c', 'WaitingForCredentials', { namespace: 'bank' });
  there.vpc('d', 'Creating');
  const [secrets] = [there.secrets()];
  expect(there.open()).toEqual(['shop', 'bank']);
  secrets?.apply(there.secret('cloud'));
  secrets?.apply(there.secret('unrelated'));
  expect(there.woken).toEqual(['ManagedVpc shop/a', 'ManagedVpc shop/d']);
});

test('of what the first list shows, only those are told that wait', () => {
  const there = waiting();
  there.vpc('a', 'WaitingForCredentials');
  there.vpc('b', 'Available');
  there.secrets()?.replace('shop', [there.secret('cloud')], '9');
  expect(there.woken).toEqual(['ManagedVpc shop/a']);
});

test('fifty namespaces are watched at a time, and the next as soon as one is done', () => {
  const there = waiting();
  for (let index = 0; index < 52; index += 1)
    there.vpc('a', 'Unauthorized', { namespace: `n${index}` });
  expect(there.open()).toHaveLength(50);
  there.vpc('a', 'Available', { namespace: 'n7' });
  expect(there.open()).toHaveLength(50);
  expect(there.open().at(-1)).toBe('n50');
});
