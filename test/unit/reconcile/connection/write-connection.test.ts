import { expect, test } from 'vitest';
import { setPassword } from '../../../../src/reconcile/act/set-password.ts';
import { putConnection } from '../../../../src/reconcile/act/connection.ts';
import type { ConnectionWrite } from '../../../../src/reconcile/step/connection.ts';
import { connectionSecretType, secretShape } from '../../../../src/resources/connection-secret.ts';
import { KubernetesError } from '../../../../src/runtime/index.ts';
import { connection, connectionSecret, connectionWrite } from '../../../support/our-secret.ts';
import { asked, encoded, owner, passwordWorld, refusal, storedEntry } from '../act/password-world.ts';

/** Kubernetes never changes an immutable Secret, nor the type of a Secret: the operator deletes such a Secret and creates it again. */

const name = 'shop/orders-db';
const entryKey = 'managed-db-ledger/managedservice-uid';
const secondNumber = { entry: 'managedservice-uid', id: 'svc-1', number: 2 };
const second = connectionWrite({ password: secondNumber });
/** Kubernetes would take new labels. */
const unknown = connectionWrite({ password: undefined, connection: { ...connection, pooler: { host: 'pooler', port: 6432 } } });

const secret = (more: object = {}, metadata: object = {}) => {
  const { metadata: all, data, type } = connectionSecret();
  return { type, ...more, metadata: { ...all, ...metadata }, data: encoded(data) };
};
const immutable = secret({ immutable: true });
const held = secret({ immutable: true }, { finalizers: ['somebody.example/else'] });
const opaque = secret({ type: 'Opaque' });

type World = ReturnType<typeof passwordWorld>;
/** The connection Secret now. */
function seen(world: World) {
  const stored = [...world.all].find(([key]) => key === name)?.[1];
  const { data, metadata } = world.seen('shop', 'orders-db') ?? {};
  return {
    type: stored?.['type'],
    isImmutable: stored?.immutable,
    password: data?.['password'],
    isNew: metadata?.uid !== 'secret-uid',
  };
}
const again = (password: string) => ({ type: connectionSecretType, isImmutable: undefined, password, isNew: true });

test.each<[string, object, ConnectionWrite, string | undefined, string, readonly string[]]>([
  ['an immutable Secret gets the password of the ledger', immutable, second, 'newer', 'newer', ['delete', 'create']],
  ['an immutable Secret keeps its password while none is known', immutable, unknown, undefined, 'secret-password', ['delete', 'create']],
  ['a Secret of another type gets the password of the ledger', opaque, second, 'newer', 'newer', ['patch', 'delete', 'create']],
  [
    'a Secret of another type keeps its password while none is known',
    opaque,
    unknown,
    undefined,
    'secret-password',
    ['patch', 'delete', 'create'],
  ],
])('a Secret that cannot be patched is deleted and created again: %s', async (_, before, write, password, expected, writes) => {
  const world = passwordWorld({ secrets: [before] });
  await putConnection(write, owner, password, world.context);
  expect(seen(world)).toEqual(again(expected));
  expect(world.writes).toEqual(writes.map((operation) => `${operation} ${name}`));
});

test('an immutable Secret that the cache does not have is deleted and created again', async () => {
  const world = passwordWorld({});
  const there = passwordWorld({ secrets: [immutable] });
  for (const [key, stored] of there.all) world.all.set(key, stored);
  await putConnection(second, owner, 'newer', world.context);
  expect(seen(world)).toEqual(again('newer'));
});

test('an immutable Secret that a finalizer holds is deleted, and created again by the visit after that finalizer is gone', async () => {
  const world = passwordWorld({ secrets: [held] });
  await expect(putConnection(second, owner, 'newer', world.context)).rejects.toMatchObject({ kind: 'conflict' });
  expect(world.writes).toEqual([`delete ${name}`]);
  expect(seen(world)).toMatchObject({ password: 'secret-password', isNew: false });
  world.release('shop', 'orders-db');
  await putConnection(second, owner, 'newer', world.context);
  expect(world.writes).toEqual([`delete ${name}`, `create ${name}`]);
  expect(seen(world)).toEqual(again('newer'));
});

test('an immutable Secret is created again before another password is sent', async () => {
  const world = passwordWorld({ secrets: [storedEntry({}, { password: 'secret-password' }), immutable] });
  expect(await setPassword(asked, owner, world.account, world.context)).toMatchObject({ type: 'done' });
  expect(world.writes).toEqual([`delete ${name}`, `create ${name}`, `patch ${entryKey}`, `patch ${entryKey}`, `patch ${name}`]);
  expect(world.sent).toEqual(['generated-0']);
  expect(seen(world)).toEqual(again('generated-0'));
});

test('an immutable Secret that is created again for a new password keeps its present password until the cloud accepts the new password', async () => {
  const world = passwordWorld({ secrets: [storedEntry({}, { password: 'secret-password' }), immutable], answers: [refusal('timeout')] });
  expect(await setPassword(asked, owner, world.account, world.context)).toMatchObject({ type: 'failed' });
  expect([world.sent, seen(world)]).toEqual([['generated-0'], again('secret-password')]);
});

test('an immutable Secret that Kubernetes does not take back after its deletion is created by the next visit', async () => {
  let isRefusing = true;
  const altering = (given: object) => {
    if (isRefusing && !('deletionTimestamp' in secretShape.parse(given).metadata))
      throw new KubernetesError({ operation: 'create', kind: 'forbidden' });
    return given;
  };
  const world = passwordWorld({ secrets: [immutable], altering });
  await expect(putConnection(second, owner, 'newer', world.context)).rejects.toThrow('Secret "orders-db" was refused');
  isRefusing = false;
  await putConnection(second, owner, 'newer', world.context);
  expect(world.writes).toEqual([`delete ${name}`, `create ${name}`]);
  expect(seen(world)).toEqual(again('newer'));
});

test('no password is sent while a finalizer holds an immutable Secret, and the ledger stays as it is', async () => {
  const world = passwordWorld({ secrets: [storedEntry({}, { password: 'secret-password' }), held] });
  const visit = setPassword(asked, owner, world.account, world.context);
  await expect(visit).rejects.toMatchObject({ kind: 'conflict' });
  expect([world.sent, world.writes]).toEqual([[], [`delete ${name}`]]);
});
