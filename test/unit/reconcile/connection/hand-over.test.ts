import { describe, expect, test } from 'vitest';
import { putConnection } from '../../../../src/reconcile/act/connection.ts';
import { observeConnection } from '../../../../src/reconcile/connection/observe-connection.ts';
import { newSecret } from '../../../../src/reconcile/connection/projection.ts';
import { resourceHash } from '../../../../src/reconcile/ledger/entry.ts';
import type { ConnectionWrite } from '../../../../src/reconcile/step/connection.ts';
import { connectionAnnotations } from '../../../../src/resources/connection-secret.ts';
import type { EntryContent } from '../../../../src/resources/ledger-entry.ts';
import { connectionSecrets } from '../../../../src/resources/watched-secret.ts';
import { resourceKey } from '../../../../src/runtime/index.ts';
import { connectionWrite } from '../../../support/our-secret.ts';
import { serviceObject } from '../../../support/situation.ts';
import { encoded, passwordWorld, storedEntry } from '../act/password-world.ts';

/** A service whose first Secret has its own name, `NAME-db`; its spec names the Secret `wanted` now. */
interface Service {
  readonly name: string;
  readonly wanted: string;
  readonly spec?: object;
  readonly metadata?: object;
  readonly entry?: Partial<EntryContent>;
  /** The names of its Secrets in the cluster. */
  readonly secrets?: readonly string[];
}

const objectOf = ({ name, wanted, spec, metadata }: Service) =>
  serviceObject(
    {},
    { connectionSecret: { name: wanted }, ...spec },
    { metadata: { name, uid: `uid-${name}`, ...metadata } },
  );
function writeOf({ name }: Service, secret: string): ConnectionWrite {
  const id = `svc-${name}`;
  const password = { entry: `managedservice-uid-${name}`, id, number: 1 };
  return connectionWrite({
    name: secret,
    resource: resourceHash('ManagedService', 'prj-1', id),
    password,
  });
}
const entryOf = ({ name, entry }: Service) =>
  storedEntry(
    {
      object: { kind: 'ManagedService', namespace: 'shop', name, uid: `uid-${name}` },
      id: `svc-${name}`,
      passwordNumber: 1,
      ...entry,
    },
    { password: `password-${name}` },
  );
interface Stored {
  readonly metadata: object;
  readonly data: Readonly<Record<string, string>>;
}
function secretsOf(service: Service): readonly Stored[] {
  const { name, secrets = [`${name}-db`] } = service;
  return secrets.map((secret) => {
    const { metadata, data, ...rest } = newSecret(
      writeOf(service, secret),
      objectOf(service),
      `password-${name}`,
    );
    return {
      ...rest,
      metadata: { ...metadata, namespace: 'shop', uid: `uid-${secret}`, resourceVersion: '1' },
      data,
    };
  });
}

function world(
  services: readonly Service[],
  change: (secrets: readonly Stored[]) => readonly Stored[] = (same) => same,
) {
  const made = passwordWorld({
    secrets: [...services.map(entryOf), ...change(services.flatMap(secretsOf))],
  });
  for (const service of services) made.caches.of('ManagedService').wrote(objectOf(service));
  const observe = (service: Service, given: Partial<ConnectionWrite> = {}) =>
    observeConnection(
      objectOf(service),
      { ...writeOf(service, service.wanted), ...given },
      made.context,
    );
  const put = (service: Service) =>
    putConnection(
      { write: writeOf(service, service.wanted), password: `password-${service.name}` },
      objectOf(service),
      made.context,
    );
  const shown = (name: string) => {
    const { metadata } = connectionSecrets.parse(made.all.get(resourceKey('shop', name)));
    return {
      password: made.seen('shop', name)?.data['password'],
      owner: metadata.annotations?.[connectionAnnotations.owner],
    };
  };
  return { ...made, observe, put, shown };
}

const one: Service = { name: 'one', wanted: 'two-db' };
const two: Service = { name: 'two', wanted: 'one-db' };

test('two services swap the names of their connection Secrets: each takes the Secret of the other, and neither deletes a Secret', async () => {
  const { observe, put, shown, writes } = world([one, two]);
  expect(await observe(one)).toMatchObject({
    state: 'outdated',
    hasOldPassword: true,
    isEdited: false,
  });
  await put(one);
  expect(shown('two-db')).toEqual({ password: 'password-one', owner: 'ManagedService/one' });
  // The Secret one-db still has the password of service one, and service two is about to take it.
  expect(await observe(one)).toMatchObject({ state: 'current', others: [] });
  expect(await observe(two)).toMatchObject({ state: 'outdated', hasOldPassword: true });
  await put(two);
  expect(shown('one-db')).toEqual({ password: 'password-two', owner: 'ManagedService/two' });
  for (const service of [one, two])
    expect(await observe(service)).toMatchObject({ state: 'current', others: [] });
  expect(writes).toEqual(['patch shop/two-db', 'patch shop/one-db']);
});

test('three services pass the names of their connection Secrets on in a circle', async () => {
  const circle = [
    { name: 'a', wanted: 'b-db' },
    { name: 'b', wanted: 'c-db' },
    { name: 'c', wanted: 'a-db' },
  ];
  const { observe, put, writes } = world(circle);
  for (const service of circle) await put(service);
  for (const service of circle)
    expect(await observe(service)).toMatchObject({ state: 'current', others: [] });
  expect(writes).toEqual(['patch shop/b-db', 'patch shop/c-db', 'patch shop/a-db']);
});

test('a service takes a Secret whose owner has completed another Secret', async () => {
  const moved = { name: 'two', wanted: 'third', secrets: ['two-db', 'third'] };
  const { observe, put, shown } = world([one, moved]);
  expect(await observe(moved)).toMatchObject({ state: 'current', others: [] });
  await put(one);
  expect(shown('two-db')).toEqual({ password: 'password-one', owner: 'ManagedService/one' });
});

const later = '2026-11-21T12:00:00Z';
const unmarked = (secrets: readonly Stored[]) =>
  secrets.map((each) => ({ ...each, metadata: { ...each.metadata, annotations: {} } }));

test.each<[string, Service, string]>([
  [
    'its spec names the Secret',
    { ...two, wanted: 'two-db' },
    'ManagedService/two owns Secret "two-db"',
  ],
  [
    'it has not completed the Secret of a third name',
    { ...two, wanted: 'third' },
    'ManagedService/two still owns Secret "two-db"',
  ],
  ['it is suspended', { ...two, spec: { suspend: true } }, 'still owns'],
  ['it is observed', { ...two, spec: { managementPolicy: 'Observe' } }, 'still owns'],
  [
    'it is being deleted',
    {
      ...two,
      metadata: { deletionTimestamp: later, finalizers: ['managed-db.io/cloud-resource'] },
    },
    'still owns',
  ],
  ['the ledger has no password of it', { ...two, entry: { hasPassword: false } }, 'still owns'],
  [
    'the ledger has an older password of it',
    { ...two, entry: { passwordNumber: 0 } },
    'still owns',
  ],
  [
    'its entry belongs to another cluster',
    { ...two, entry: { clusterUid: 'before' } },
    'still owns',
  ],
  ['its entry is about another resource', { ...two, entry: { id: 'svc-9' } }, 'still owns'],
  [
    'its entry is about the resource of another service',
    { ...two, entry: { id: 'svc-one' } },
    'still owns',
  ],
])('a service does not take the Secret of a service if %s', async (_, owner, message) => {
  const { observe, put, writes } = world([one, owner]);
  const seen = await observe(one);
  expect(seen).toMatchObject({ state: 'unusable', why: { reason: 'SecretConflict' } });
  expect(seen.state === 'unusable' && seen.why.message).toContain(message);
  await expect(put(one)).rejects.toMatchObject({ name: 'SecretConflict' });
  expect(writes).toEqual([]);
});

test('a service without a password in the ledger takes no Secret, since its old Secret may have the only copy', async () => {
  expect(await world([one, two]).observe(one, { password: undefined })).toMatchObject({
    state: 'unusable',
  });
});

test('a service takes no Secret that lost its annotations', async () => {
  expect(await world([one, two], unmarked).observe(one)).toMatchObject({
    state: 'unusable',
    why: { reason: 'SecretConflict' },
  });
});

test('the uid in status does not win a Secret back that another living service has taken', async () => {
  const { observe, put, shown } = world([one, two]);
  await put(one);
  const back = { ...two, wanted: 'two-db' };
  const object = serviceObject(
    {},
    { connectionSecret: { name: 'two-db' } },
    {
      metadata: { name: 'two', uid: 'uid-two' },
      status: { connectionSecret: { uid: 'uid-two-db', resourceVersion: '1' } },
    },
  );
  const { context } = world([one, back], () => secretsOf({ ...one, secrets: ['two-db'] }));
  expect(await observeConnection(object, writeOf(back, 'two-db'), context)).toMatchObject({
    state: 'unusable',
  });
  expect(await observe(one)).toMatchObject({ state: 'current' });
  expect(shown('two-db').password).toBe('password-one');
});

test('an old Secret that no service can take is deleted as before', async () => {
  const suspended = { ...two, spec: { suspend: true }, secrets: [] };
  const { observe } = world([{ ...one, secrets: ['one-db', 'two-db'] }, suspended]);
  expect(await observe(one)).toMatchObject({ state: 'current', others: ['one-db'] });
});

const withPooler = (secrets: readonly Stored[]) =>
  secrets.map((each) => ({ ...each, data: { ...each.data, ...encoded({ 'pooler-uri': 'old' }) } }));

test('a Secret that a service takes loses every key of the earlier owner', async () => {
  const all = world([one, two], withPooler);
  await all.put(one);
  expect(JSON.stringify(all.seen('shop', 'two-db')?.data)).not.toMatch(/password-two|old/u);
});

describe('a service does not take the Secret of a service that cannot get its next Secret, since', () => {
  const taker: Service = { name: 'taker', wanted: 'one-db', secrets: [] };
  const moving = { ...two, wanted: 'third-db' };
  const third = { name: 'third', wanted: 'fourth-db', secrets: ['third-db', 'fourth-db'] };

  test.each<[string, readonly Service[]]>([
    ['the owner of the next Secret is suspended', [{ ...moving, spec: { suspend: true } }, third]],
    ['the owner of the next Secret has no Secret of a third name yet', [moving]],
    [
      'the ledger has no password of the owner of the next Secret',
      [{ ...moving, entry: { hasPassword: false } }, third],
    ],
    [
      'the owner of the Secret after the next is suspended',
      [moving, { ...third, spec: { suspend: true } }],
    ],
    ['the owner of the Secret after the next keeps it', [moving, { ...third, wanted: 'third-db' }]],
    [
      'a further service names the next Secret',
      [moving, third, { name: 'rival', wanted: 'two-db' }],
    ],
    ['a further service closes the circle', [{ ...two, wanted: 'one-db' }]],
  ])('%s', async (_, others) => {
    const { observe, put, writes, shown } = world([one, taker, ...others]);
    const seen = await observe(taker);
    expect(seen.state === 'unusable' && seen.why.message).toContain(
      'ManagedService/one still owns Secret "one-db"',
    );
    await expect(put(taker)).rejects.toMatchObject({ name: 'SecretConflict' });
    expect(writes).toEqual([]);
    expect(shown('one-db').owner).toBe('ManagedService/one');
  });

  test('nothing stands in the way otherwise', async () => {
    const { put, shown } = world([one, taker, moving, third]);
    await put(taker);
    expect(shown('one-db').owner).toBe('ManagedService/taker');
    await put(one);
    await put(moving);
    expect(shown('third-db').owner).toBe('ManagedService/two');
  });
});
