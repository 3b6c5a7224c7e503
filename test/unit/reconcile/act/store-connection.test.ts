import { expect, test } from 'vitest';
import * as z from 'zod';
import { storeConnection } from '../../../../src/reconcile/act/connection.ts';
import type { ManagedObject } from '../../../../src/resources/managed-object.ts';
import { connectionSecret, connectionWrite } from '../../../support/our-secret.ts';
import { replicaSecret, replicaSetSituation } from '../../../support/situation-of-others.ts';
import { encoded, owner, passwordWorld, storedEntry } from './password-world.ts';

const name = 'managedservice-uid';
const store = { type: 'storeConnection', write: connectionWrite(), isEdited: false } as const;
const now = { ...connectionSecret(), data: encoded(connectionSecret().data) };
const emptiedByHand = storedEntry({ passwordNumber: 1, passwordFrom: 'rotation r1' }, {});

const numberIn = (metadata: unknown) =>
  z.object({ annotations: z.record(z.string(), z.string()) }).parse(metadata).annotations[
    'managed-db.io/password-number'
  ];
const reads: ManagedObject = replicaSetSituation().object;

test.each<[string, readonly object[], ManagedObject]>([
  [
    'that now has a different password stays',
    [storedEntry({ passwordNumber: 2 }, { password: 'newer' })],
    owner,
  ],
  [
    'that is now about a different service stays',
    [storedEntry({ id: 'svc-2' }, { password: 'of-another' })],
    owner,
  ],
  ['whose password a user removed stays', [emptiedByHand], owner],
  [
    'whose password a user replaced by an empty text stays',
    [storedEntry({ passwordNumber: 1 }, { password: '' })],
    owner,
  ],
  ['that now has no password stays', [storedEntry({ hasPassword: false }, {})], owner],
  ['that is gone is not created', [], owner],
  ['of its service stays when a replica set finds no password there', [emptiedByHand], reads],
])('an entry %s, and no connection Secret is written', async (_, entries, object) => {
  const world = passwordWorld({ secrets: entries });
  const write = connectionWrite(object === reads ? replicaSecret : {});
  expect(await storeConnection({ ...store, write }, object, world.context)).toMatchObject({
    type: 'conflict',
  });
  expect(world.writes).toEqual([]);
});

test('an old password in the connection Secret is replaced by the password of the ledger, together with its number', async () => {
  const newer = storedEntry({ passwordNumber: 2 }, { password: 'newer-password' });
  const world = passwordWorld({ secrets: [newer, now] });
  const write = connectionWrite({ password: { entry: name, id: 'svc-1', number: 2 } });
  expect(await storeConnection({ ...store, write }, owner, world.context)).toMatchObject({
    type: 'done',
  });
  expect(world.seen('shop', 'orders-db')).toMatchObject({
    data: {
      password: 'newer-password',
      uri: 'postgresql://tsdbadmin:newer-password@db.example.com:5432/tsdb?sslmode=require',
    },
    metadata: { annotations: { 'managed-db.io/password-number': '2' } },
  });
});

test.each<[string, Record<string, string>, number: string | undefined]>([
  ['that was emptied loses the number of its password', {}, undefined],
  [
    'that has only a URI loses the number and keeps the URI',
    { uri: 'postgresql://of-a-person' },
    undefined,
  ],
  ['that has a password keeps its number', { password: 'of-the-service' }, '1'],
])(
  'without a password in the ledger, a connection Secret %s, so that the next password is not taken for this password',
  async (_, data, number) => {
    const world = passwordWorld({
      secrets: [storedEntry({ hasPassword: false }, {}), { ...now, data: encoded(data) }],
    });
    const write = connectionWrite({ password: undefined });
    await storeConnection({ ...store, write }, owner, world.context);
    const { data: stored, metadata } = world.seen('shop', 'orders-db') ?? {};
    expect(stored).toMatchObject(data);
    expect(stored?.['password']).toBe(data['password']);
    expect(metadata?.['annotations']).toEqual(
      expect.objectContaining({ 'managed-db.io/resource': write.resource }),
    );
    expect(numberIn(metadata)).toBe(number);
  },
);
