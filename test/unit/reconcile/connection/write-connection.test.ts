import { expect, test } from 'vitest';
import { setPassword } from '../../../../src/reconcile/act/set-password.ts';
import { putConnection } from '../../../../src/reconcile/act/connection.ts';
import { SecretConflict } from '../../../../src/reconcile/connection/secret-refused.ts';
import type { ConnectionWrite } from '../../../../src/reconcile/step/connection.ts';
import { resourceKey } from '../../../../src/runtime/index.ts';
import { connection, connectionSecret, connectionWrite } from '../../../support/our-secret.ts';
import { asked, encoded, owner, passwordWorld, storedEntry } from '../act/password-world.ts';

const name = 'shop/orders-db';
const second = connectionWrite({
  password: { entry: 'managedservice-uid', id: 'svc-1', number: 2 },
});
const unknown = connectionWrite({
  password: undefined,
  connection: { ...connection, pooler: { host: 'pooler', port: 6432 } },
});

const secret = (more: object = {}) => {
  const { metadata, data, type } = connectionSecret();
  return { type, metadata, data: encoded(data), ...more };
};
const immutable = secret({ immutable: true });

type World = ReturnType<typeof passwordWorld>;
/** The type and the password of the connection Secret now. */
function seen(world: World) {
  const stored = [...world.all].find(([key]) => key === name)?.[1];
  return { type: stored?.['type'], password: world.seen('shop', 'orders-db')?.data['password'] };
}

test.each<[string, ConnectionWrite, string | undefined, string]>([
  ['gets the password of the ledger', second, 'newer', 'newer'],
  ['keeps its password while none is known', unknown, undefined, 'secret-password'],
])(
  'a connection Secret of another type is patched, and %s',
  async (_, write, password, expected) => {
    const world = passwordWorld({ secrets: [secret({ type: 'Opaque' })] });
    await putConnection({ write, password }, owner, world.context);
    expect([seen(world), world.writes]).toEqual([
      { type: 'Opaque', password: expected },
      [`patch ${name}`],
    ]);
  },
);

test('a connection Secret that the cache does not have is patched', async () => {
  const world = passwordWorld({});
  const there = passwordWorld({ secrets: [secret()] });
  for (const [key, stored] of there.all) world.all.set(key, stored);
  await putConnection({ write: second, password: 'newer' }, owner, world.context);
  expect([seen(world).password, world.writes]).toEqual(['newer', [`patch ${name}`]]);
});

test('a dry run writes nothing', async () => {
  const world = passwordWorld({});
  await putConnection({ write: second, password: 'newer' }, owner, world.context, { dryRun: true });
  expect([
    world.writes,
    world.caches.connectionSecrets.get(resourceKey('shop', 'orders-db')),
  ]).toEqual([[], undefined]);
});

test('an immutable connection Secret is refused, and stays as it is', async () => {
  const world = passwordWorld({ secrets: [immutable] });
  await expect(
    putConnection({ write: second, password: 'newer' }, owner, world.context),
  ).rejects.toBeInstanceOf(SecretConflict);
  expect([seen(world).password, world.writes]).toEqual(['secret-password', []]);
});

test('no password is sent while the connection Secret is immutable, and the ledger stays as it is', async () => {
  const world = passwordWorld({
    secrets: [storedEntry({}, { password: 'secret-password' }), immutable],
  });
  await expect(setPassword(asked, owner, world.account, world.context)).rejects.toBeInstanceOf(
    SecretConflict,
  );
  expect([world.sent, world.writes]).toEqual([[], []]);
});
