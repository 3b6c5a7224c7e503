import { expect, test } from 'vitest';
import { dropConnections } from '../../../../src/reconcile/act/connection.ts';
import { observeConnection } from '../../../../src/reconcile/connection/observe-connection.ts';
import { newerThanLedger } from '../../../../src/reconcile/connection/secret-refused.ts';
import { newSecret } from '../../../../src/reconcile/connection/projection.ts';
import { resourceHash } from '../../../../src/reconcile/ledger/entry.ts';
import type { ConnectionWrite } from '../../../../src/reconcile/step/connection.ts';
import type { ManagedService } from '../../../../src/resources/managed-service.ts';
import { resourceKey } from '../../../../src/runtime/index.ts';
import { connectionSecret, connectionWrite } from '../../../support/our-secret.ts';
import { serviceObject } from '../../../support/situation.ts';
import { encoded, owner, passwordWorld, storedEntry } from '../act/password-world.ts';

const numbered = (number: number) => ({
  password: { entry: 'managedservice-uid', id: 'svc-1', number },
});
const another = { resource: resourceHash('ManagedService', 'prj-1', 'svc-0') };
const labelled = { labels: { team: 'a' } };

/** The observation of a Secret that was computed from `before`, while the ledger's password has the number 2. */
async function observed(
  before: Partial<ConnectionWrite>,
  wanted: Partial<ConnectionWrite>,
  password: string | undefined,
) {
  const entry = storedEntry({ passwordNumber: 2 }, password === undefined ? {} : { password });
  const secret = { ...connectionSecret(before), data: encoded(connectionSecret(before).data) };
  return observeConnection(
    owner,
    connectionWrite({ ...numbered(2), ...wanted }),
    passwordWorld({ secrets: [entry, secret] }).context,
  );
}

test.each<[string, Partial<ConnectionWrite>, Partial<ConnectionWrite>, object]>([
  ['with the password of the ledger is current', numbered(2), {}, { state: 'current' }],
  [
    'with a lower number has an old password',
    numbered(1),
    {},
    { state: 'outdated', isEdited: false, hasOldPassword: true },
  ],
  [
    'without a number has an old password',
    { password: undefined },
    {},
    { state: 'outdated', isEdited: false, hasOldPassword: true },
  ],
  [
    'with the number of the ledger and other labels is outdated, and its password is not old',
    numbered(2),
    labelled,
    { state: 'outdated', hasOldPassword: false },
  ],
  [
    'with other labels is outdated while no password is known, and its password is not old',
    numbered(1),
    { ...labelled, password: undefined },
    { state: 'outdated', hasOldPassword: false },
  ],
  [
    'with a higher number is newer than the ledger',
    numbered(3),
    {},
    { state: 'unusable', why: newerThanLedger('orders-db') },
  ],
  [
    'with a higher number of another service has an old password',
    { ...numbered(3), ...another },
    {},
    { state: 'outdated', hasOldPassword: true },
  ],
])('a connection Secret %s', async (_, before, wanted, expected) => {
  expect(await observed(before, wanted, 'secret-password')).toMatchObject(expected);
});

test('a connection Secret whose label from the spec was removed is outdated, and its content was not edited', async () => {
  const write = connectionWrite(labelled);
  const { metadata, data } = connectionSecret(labelled);
  const secret = { metadata: { ...metadata, labels: {} }, data: encoded(data) };
  const { context } = passwordWorld({
    secrets: [storedEntry({ passwordNumber: 1 }, { password: data['password'] ?? '' }), secret],
  });
  expect(await observeConnection(owner, write, context)).toMatchObject({
    state: 'outdated',
    isEdited: false,
    hasOldPassword: false,
  });
});

test('a connection Secret with the number of the ledger and another password was edited', async () => {
  expect(await observed(numbered(2), {}, 'other-password')).toMatchObject({
    state: 'outdated',
    isEdited: true,
    hasOldPassword: false,
  });
});

test('a connection Secret whose password a person removed from the ledger is current, so that other changes continue', async () => {
  expect(await observed(numbered(2), {}, undefined)).toMatchObject({ state: 'current' });
});

test.each<[string, Readonly<Record<string, string>>, boolean]>([
  ['that a user wrote has', { password: 'by-hand' }, true],
  ['is missing from has no', {}, false],
])(
  'a connection Secret without a password in the ledger, which a password %s other password',
  async (_, password, hasOtherPassword) => {
    const write = connectionWrite({ password: undefined });
    const { metadata, data } = connectionSecret({ password: undefined });
    const shown = { uid: metadata.uid, resourceVersion: metadata.resourceVersion };
    const { context } = passwordWorld({
      secrets: [
        storedEntry({ hasPassword: false }, {}),
        { metadata, data: encoded({ ...data, ...password }) },
      ],
    });
    const object = serviceObject({}, {}, { status: { connectionSecret: shown } });
    // The first look reads the Secret, and the second look remembers it.
    for (const look of [1, 2])
      expect(await observeConnection(object, write, context), `look ${look}`).toMatchObject({
        state: 'current',
        hasOtherPassword,
      });
  },
);

test('a connection Secret that has a number and no password is outdated without a password in the ledger', async () => {
  const write = connectionWrite({ password: undefined });
  const { metadata, data } = connectionSecret();
  const { password: _password, ...rest } = data;
  const { context } = passwordWorld({
    secrets: [storedEntry({ hasPassword: false }, {}), { metadata, data: encoded(rest) }],
  });
  expect(await observeConnection(owner, write, context)).toMatchObject({
    state: 'outdated',
    isEdited: false,
  });
});

const earlier = serviceObject({}, {}, { metadata: { name: 'earlier', uid: 'gone' } });
/** The connection Secret of an earlier object of the same service, under another name. */
function retained(number: number, given: Partial<ConnectionWrite> = {}) {
  const { metadata, ...rest } = newSecret(
    { ...connectionWrite({ ...numbered(number), ...given }), name: 'earlier-db' },
    earlier,
    'secret-password',
  );
  return {
    ...rest,
    metadata: { ...metadata, namespace: 'shop', uid: 'earlier-secret', resourceVersion: '1' },
  };
}

test.each<[string, object, readonly ManagedService[], number | undefined, readonly string[]]>([
  ['with the present password stays', retained(2), [], 2, []],
  ['with an older password is replaced', retained(1), [], 2, ['earlier-db']],
  ['with a newer password than a restored ledger stays', retained(3), [], 2, []],
  ['stays while the ledger has no password', retained(1), [], undefined, []],
  ['with an older password stays while its object lives', retained(1), [earlier], 2, []],
  ['about another service stays', retained(1, another), [], 2, []],
])('the connection Secret of an earlier object %s', async (_, left, living, number, others) => {
  const given = number === undefined ? { password: undefined } : numbered(number);
  const own = { ...connectionSecret(given), data: encoded(connectionSecret(given).data) };
  const { caches, context } = passwordWorld({
    secrets: [storedEntry({ passwordNumber: 2 }, { password: 'secret-password' }), own, left],
  });
  for (const object of living) caches.of('ManagedService').wrote(object);
  expect(await observeConnection(owner, connectionWrite(given), context)).toMatchObject({
    state: 'current',
    others,
  });
});

test('the event about the Secret of an earlier object names that object and the new Secret', async () => {
  const world = passwordWorld({ secrets: [retained(1)] });
  await dropConnections(
    { type: 'dropConnections', write: connectionWrite(numbered(2)), names: ['earlier-db'] },
    owner,
    world.context,
  );
  expect(world.events).toEqual([
    'Secret "earlier-db" of ManagedService/earlier had an older password of this database and is deleted: use Secret "orders-db"',
  ]);
  expect([world.eventTypes, world.seen('shop', 'earlier-db')]).toEqual([['Warning'], undefined]);
});

test('a connection Secret that a finalizer of another client holds counts as being deleted right after its DELETE', async () => {
  const left = retained(1);
  const held = { ...left, metadata: { ...left.metadata, finalizers: ['example.com/hold'] } };
  const world = passwordWorld({ secrets: [held] });
  await dropConnections(
    { type: 'dropConnections', write: connectionWrite(numbered(2)), names: ['earlier-db'] },
    owner,
    world.context,
  );
  const cached = world.caches.connectionSecrets.get(resourceKey('shop', 'earlier-db'));
  expect(cached?.metadata.deletionTimestamp).toBeDefined();
});
