import { test } from 'vitest';
import { replicaSet, service } from '../../support/manifests.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** The connection Secrets of a service and of its replica set, and where the password comes from. */

interface Specs {
  readonly orders?: object;
  readonly reads?: object;
}

async function ready(world: World, { orders = {}, reads = {} }: Specs = {}): Promise<void> {
  await world.apply(service('orders', orders), replicaSet('reads', 'orders', reads));
  await world.untilReady('service', 'orders');
  await world.untilReady('replicaSet', 'reads');
}

async function untilSecret(world: World, name: string, wanted: Readonly<Record<string, string>>): Promise<void> {
  await until(
    `Secret ${name} to say ${JSON.stringify(wanted)}`,
    async () => {
      const data = await world.secret(name);
      return Object.entries(wanted).every(([key, value]) => data?.[key] === value);
    },
    () => world.secret(name),
  );
}

const patch = (world: World, secret: string, change: object) =>
  world.kubectl(['patch', 'secret', secret, '--type=merge', '-p', JSON.stringify(change)]);

const metadataOf = async (world: World, secret: string) =>
  (await world.kubectl(['get', 'secret', secret, '-o', 'jsonpath={.metadata.labels} {.metadata.annotations}'])).stdout;

const mine = (name: string, data: Readonly<Record<string, string>>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  stringData: data,
});

test.concurrent('connectionSecret.username and database: the Secret says them, is mended when edited, and goes back to what is usual', async ({
  expect,
}) => {
  await using world = await startWorld({ speed: 10, latencyMs: 500 });
  await ready(world);
  const password = (await world.secret('orders-db'))?.['password'] ?? '';
  const app = { username: 'app', database: 'shop' };
  await ready(world, { orders: { connectionSecret: app } });
  await untilSecret(world, 'orders-db', app);
  expect((await world.secret('orders-db'))?.['uri']).toMatch(/^postgresql:\/\/app:.*\/shop\?/u);
  await patch(world, 'orders-db', { stringData: { username: 'root', database: 'other' } });
  await untilSecret(world, 'orders-db', { ...app, password });
  await ready(world);
  await untilSecret(world, 'orders-db', { username: 'postgres', database: 'postgres', password });
  expect(world.project.calls.get('updateServicePassword')).toBeUndefined();
});

test.concurrent("connectionSecret.username and database: a replica set's Secret that somebody edits is mended", async ({ expect }) => {
  await using world = await startWorld({ speed: 10, latencyMs: 500 });
  await ready(world);
  const { username = '', database = '', password = '' } = (await world.secret('orders-db')) ?? {};
  await patch(world, 'reads-replicas-db', { stringData: { username: 'root', database: 'other', password: 'x' } });
  await untilSecret(world, 'reads-replicas-db', { username, database, password });
  expect(world.project.calls.get('updateServicePassword')).toBeUndefined();
});

test.concurrent('connectionSecret.labels and annotations: they are put on the Secrets, and put back when somebody takes them off', async ({
  expect,
}) => {
  await using world = await startWorld();
  await ready(world);
  const texts = { connectionSecret: { labels: { team: 'shop' }, annotations: { note: 'ours' } } };
  await ready(world, { orders: texts, reads: texts });
  for (const secret of ['orders-db', 'reads-replicas-db']) {
    const untilThere = async (words: string) =>
      until(
        `${words} on ${secret}`,
        async () => (await metadataOf(world, secret)).includes(words),
        () => metadataOf(world, secret),
      );
    await untilThere('"team":"shop"');
    await untilThere('"note":"ours"');
    await patch(world, secret, { metadata: { labels: { team: null }, annotations: { note: 'theirs' } } });
    await untilThere('"team":"shop"');
    await untilThere('"note":"ours"');
  }
  await ready(world, {
    orders: { connectionSecret: { labels: { team: 'pay' } } },
    reads: { connectionSecret: { labels: { team: 'pay' } } },
  });
  for (const secret of ['orders-db', 'reads-replicas-db'])
    await until(`another label on ${secret}`, async () => (await metadataOf(world, secret)).includes('"team":"pay"'));
  expect(await metadataOf(world, 'orders-db')).toContain('managed-db.io/connection');
});

test.concurrent('connectionSecret.name: the Secret moves with its password, and back when the name is taken out', async ({ expect }) => {
  await using world = await startWorld();
  await ready(world);
  const password = (await world.secret('orders-db'))?.['password'] ?? '';
  const untilGone = (name: string) => until(`${name} to be gone`, async () => (await world.secret(name)) === undefined);
  await ready(world, { orders: { connectionSecret: { name: 'write' } }, reads: { connectionSecret: { name: 'read' } } });
  await untilSecret(world, 'write', { password });
  await untilSecret(world, 'read', { password });
  await untilGone('orders-db');
  await untilGone('reads-replicas-db');
  await ready(world);
  await untilSecret(world, 'orders-db', { password });
  await untilSecret(world, 'reads-replicas-db', { password });
  await untilGone('write');
  await untilGone('read');
  expect((await world.replicaSet('reads'))?.status?.binding?.name).toBe('reads-replicas-db');
  expect(world.project.calls.get('updateServicePassword')).toBeUndefined();
});

test.concurrent("connectionSecret.name: a replica set's Secret does not overwrite one that somebody made", async ({ expect }) => {
  await using world = await startWorld();
  await ready(world);
  await world.apply(mine('taken', { password: 'x' }));
  await world.apply(replicaSet('reads', 'orders', { connectionSecret: { name: 'taken' } }));
  expect(await world.untilReason('replicaSet', 'reads', 'SecretConflict')).toContain('"taken"');
  expect(await world.secret('taken')).toEqual({ password: 'x' });
  expect(await world.secret('reads-replicas-db')).toBeDefined();
});

test.concurrent("connectionSecret.name: a replica set's Secret that somebody deletes is made again", async ({ expect }) => {
  await using world = await startWorld();
  await ready(world);
  const password = (await world.secret('orders-db'))?.['password'] ?? '';
  await world.kubectl(['delete', 'secret', 'reads-replicas-db', '--timeout=20s']);
  await untilSecret(world, 'reads-replicas-db', { password });
  await world.untilReady('replicaSet', 'reads');
  expect(world.project.calls.get('updateServicePassword')).toBeUndefined();
});

test.concurrent('password.secretRef: another key or another Secret gives another password; taken out, the last one stays', async ({
  expect,
}) => {
  await using world = await startWorld();
  await world.apply(mine('first', { password: 'hunter2-one', old: 'hunter2-two' }), mine('second', { password: 'hunter2-three' }));
  const asked = async (secretRef: object, password: string) => {
    await ready(world, { orders: { password: { secretRef } } });
    await untilSecret(world, 'orders-db', { password });
    await untilSecret(world, 'reads-replicas-db', { password });
  };
  await asked({ name: 'first' }, 'hunter2-one');
  await asked({ name: 'first', key: 'old' }, 'hunter2-two');
  await asked({ name: 'first' }, 'hunter2-one');
  await asked({ name: 'second' }, 'hunter2-three');
  await ready(world);
  await world.kubectl(['delete', 'secret', 'first', 'second', '--timeout=20s']);
  await world.kubectl(['annotate', 'managedservice', 'orders', 'reconcile.managed-db.io/requestedAt=now']);
  await until('the answer', async () => (await world.service('orders'))?.status?.lastHandledReconcileAt === 'now');
  expect((await world.secret('orders-db'))?.['password']).toBe('hunter2-three');
  expect(world.project.commits.get('updateServicePassword')).toBe(4);
});

test.concurrent('password.rotation: one that the cloud refuses is told, the old password goes on working, and the next text rotates', async ({
  expect,
}) => {
  await using world = await startWorld();
  await ready(world);
  const password = (await world.secret('orders-db'))?.['password'] ?? '';
  world.project.faults.add({ kind: 'errorBefore', operation: 'updateServicePassword', status: 422, body: { message: 'not now' } });
  await world.apply(service('orders', { password: { rotation: 'one' } }));
  expect(await world.untilReason('service', 'orders', 'Rejected')).toContain('the cloud refused to set the password of the service');
  await untilSecret(world, 'orders-db', { password });
  world.project.faults.clear();
  await ready(world, { orders: { password: { rotation: 'two' } } });
  const id = (await world.service('orders'))?.status?.id ?? '';
  const next = world.project.services.get(id)?.password ?? '';
  expect(next).not.toBe(password);
  await untilSecret(world, 'orders-db', { password: next });
});
