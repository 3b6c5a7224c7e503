import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { accounts } from '../../../../src/reconcile/credentials/accounts.ts';
import type { SecretMetadata } from '../../../../src/resources/secret-metadata.ts';
import { managedServices } from '../../../../src/resources/managed-service.ts';
import { keyOf, objectCache, objectReference } from '../../../../src/runtime/index.ts';
import { usableAccount } from '../../../support/usable-account.ts';

const metadataOf = (name: string, version: number) => ({
  name,
  namespace: 'shop',
  uid: name,
  resourceVersion: String(version),
  labels: { 'managed-db.io/credentials': 'true' },
});

/** Secrets with API keys that the test edits, and the set of open keys. */
function world() {
  const secrets = new Map<string, { key: string | Buffer; version: number }>();
  const heldSecrets = objectCache<SecretMetadata>([undefined]);
  const open = new Set<string>();
  let reads = 0;
  const made = accounts({
    kubernetes: {
      get(type, key) {
        reads += 1;
        const name = key.slice(key.indexOf('/') + 1);
        const secret = secrets.get(name);
        if (!secret) return Promise.resolve(undefined);
        const data = {
          apiKey: (typeof secret.key === 'string' ? Buffer.from(secret.key) : secret.key).toString(
            'base64',
          ),
        };
        return Promise.resolve(type.parse({ metadata: metadataOf(name, secret.version), data }));
      },
    },
    heldSecrets,
    ownKey: () => Promise.resolve(undefined),
    ownKeyNamespaces: ['*'],
    openKey(apiKey) {
      open.add(apiKey);
      return {
        prove: () => Promise.resolve(usableAccount()),
        onChange: () => undefined,
        close: () => void open.delete(apiKey),
      };
    },
    wake: () => undefined,
  });
  return {
    accounts: made,
    open,
    reads: () => reads,
    put: (name: string, key: string | Buffer) => {
      const version = (secrets.get(name)?.version ?? 0) + 1;
      secrets.set(name, { key, version });
      heldSecrets.apply({ metadata: metadataOf(name, version) });
    },
  };
}

const using = (name: string, secret: string) =>
  managedServices.parse({
    apiVersion: 'managed-db.io/v1alpha1',
    kind: 'ManagedService',
    metadata: { name, namespace: 'shop', uid: name, resourceVersion: '1' },
    spec: { credentialsRef: { name: secret } },
  });

test('a key is open while an object uses it, and no longer', async () => {
  const { accounts: made, open, put } = world();
  put('one', 'key-one');
  put('two', 'key-two');
  await made.of(using('orders', 'one'));
  await made.of(using('bills', 'one'));
  await made.of(using('orders', 'two'));
  expect([...open]).toEqual(['key-one', 'key-two']);
  await made.of(using('bills', 'two'));
  expect([...open]).toEqual(['key-two']);
  put('two', 'key-three');
  await made.of(using('orders', 'two'));
  await made.of(using('bills', 'two'));
  expect([...open]).toEqual(['key-three']);
  for (const name of ['orders', 'bills'])
    made.forget(objectReference('ManagedService', keyOf(using(name, 'two'))));
  expect([...open]).toEqual([]);
});

test('a key whose Secret is gone or has no key any more is closed once no object uses the key', async () => {
  const { accounts: made, open, put } = world();
  put('one', 'key-one');
  await made.of(using('orders', 'one'));
  put('one', '');
  expect(await made.of(using('orders', 'one'))).toMatchObject({ state: 'missing' });
  expect(await made.of(using('orders', 'never-there'))).toMatchObject({ state: 'missing' });
  expect(open.size).toBe(1);
  made.forget(objectReference('ManagedService', keyOf(using('orders', 'one'))));
  expect(open.size).toBe(0);
});

test('a Secret that has not changed is read once, and the operator does not keep its key in memory', async () => {
  const { accounts: made, put, reads } = world();
  put('one', 'key-one');
  await made.of(using('orders', 'one'));
  await made.of(using('bills', 'one'));
  expect(reads()).toBe(1);
  expect(inspect(made, { depth: 10, showHidden: true })).not.toContain('key-one');
});

test('after the stop no key is open, also if an object requests a key', async () => {
  const { accounts: made, open, put } = world();
  put('one', 'key-one');
  put('two', 'key-two');
  await made.of(using('orders', 'one'));
  made.close();
  expect(open.size).toBe(0);
  await made.of(using('bills', 'two'));
  expect(open.size).toBe(0);
});

test.each([
  [
    'is not text',
    Buffer.from([0x6b, 0xe4]),
    'the key apiKey of Secret "one" in namespace "shop" is not text (UTF-8)',
  ],
  ['is missing', '\n', 'Secret "one" in namespace "shop" has no key apiKey'],
])('an object whose API key %s waits, and the message says so', async (_, key, problem) => {
  const { accounts: made, open, put } = world();
  put('one', key);
  expect(await made.of(using('orders', 'one'))).toEqual({
    state: 'missing',
    problem,
    remedy: 'put the API key there',
  });
  expect(open.size).toBe(0);
});

test('line breaks and blanks around an API key are not part of the key', async () => {
  const { accounts: made, open, put } = world();
  put('one', ' key-one \r\n\n');
  await made.of(using('orders', 'one'));
  expect([...open]).toEqual(['key-one']);
});
