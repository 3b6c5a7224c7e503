import { expect, test } from 'vitest';
import { bindEntry } from '../../../../src/reconcile/act/bind-entry.ts';
import { storeConnection } from '../../../../src/reconcile/act/store-connection.ts';
import type { ManagedObject } from '../../../../src/resources/managed-object.ts';
import { connectionSecret, connectionWrite } from '../../../support/our-secret.ts';
import { replicaSecret, replicaSetSituation } from '../../../support/situation-of-others.ts';
import { encoded, owner, passwordWorld, storedEntry } from './password-world.ts';

const ledger = 'managed-db-ledger';
const name = 'managedservice-uid';
const store = { type: 'storeConnection', write: connectionWrite(), isEdited: false } as const;
const now = { ...connectionSecret(), data: encoded(connectionSecret().data) };
/** Somebody removed the password by hand. */
const emptiedByHand = storedEntry({ passwordNumber: 1, passwordFrom: 'rotation r1' }, {});

test('an entry without the password that it should have is bound to nothing, and the connection Secret keeps its password', async () => {
  const world = passwordWorld({ secrets: [emptiedByHand, now] });
  expect(await storeConnection(store, owner, world.context)).toMatchObject({ type: 'done' });
  const { content, metadata } = world.seen(ledger, name) ?? {};
  expect(content).toMatchObject({ hasPassword: false, passwordNumber: 1, object: { uid: 'uid' } });
  expect([content?.id, content?.passwordFrom]).toEqual([undefined, undefined]);
  expect(metadata?.['labels']).not.toHaveProperty('managed-db.io/resource');
  expect(world.writes).toEqual([`patch ${ledger}/${name}`]);
  expect(world.seen('shop', 'orders-db')?.data['password']).toBe('secret-password');
});

test('an entry that somebody emptied gets its password back from the connection Secret', async () => {
  const world = passwordWorld({ secrets: [emptiedByHand, now] });
  await storeConnection(store, owner, world.context);
  const bind = {
    type: 'bindEntry',
    id: 'svc-1',
    projectId: 'prj-1',
    outcome: 'created',
    secret: 'orders-db',
    requested: undefined,
  } as const;
  await bindEntry(bind, owner, world.context);
  const { content, data } = world.seen(ledger, name) ?? {};
  expect([content?.id, content?.hasPassword, content?.passwordNumber, data]).toEqual(['svc-1', true, 1, { password: 'secret-password' }]);
});

const reads: ManagedObject = replicaSetSituation().object;

test.each<[string, readonly object[], ManagedObject]>([
  ['that has another password by now stays', [storedEntry({ passwordNumber: 2 }, { password: 'newer' })], owner],
  ['that is about another service by now stays', [storedEntry({ id: 'svc-2' }, { password: 'of-another' })], owner],
  ['that says by now that it has no password stays', [storedEntry({ hasPassword: false }, {})], owner],
  ['that is gone is not created', [], owner],
  ['of its service stays when a replica set finds no password there', [emptiedByHand], reads],
])('an entry %s, and no connection Secret is written', async (_, entries, object) => {
  const world = passwordWorld({ secrets: entries });
  const write = connectionWrite(object === reads ? replicaSecret : {});
  expect(await storeConnection({ ...store, write }, object, world.context)).toMatchObject({ type: 'conflict' });
  expect(world.writes).toEqual([]);
});

test('an old password in the connection Secret is replaced by the password of the ledger, together with its number', async () => {
  const newer = storedEntry({ passwordNumber: 2 }, { password: 'newer-password' });
  const world = passwordWorld({ secrets: [newer, now] });
  const write = connectionWrite({ password: { entry: name, id: 'svc-1', number: 2 } });
  expect(await storeConnection({ ...store, write }, owner, world.context)).toMatchObject({ type: 'done' });
  expect(world.seen('shop', 'orders-db')).toMatchObject({
    data: { password: 'newer-password', uri: 'postgresql://tsdbadmin:newer-password@db.example.com:5432/tsdb?sslmode=require' },
    metadata: { annotations: { 'managed-db.io/password-number': '2' } },
  });
});
