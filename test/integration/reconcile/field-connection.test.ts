import { test } from 'vitest';
import { replicaSet, secret, service } from '../../support/manifests.ts';
import { untilSecret } from '../../support/until-secret.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** The connection Secrets of a service and of its replica set; field-password.test.ts has where the password comes from. */

interface Specs {
  readonly orders?: object;
  readonly reads?: object;
}

async function ready(world: World, { orders = {}, reads = {} }: Specs = {}): Promise<void> {
  await world.apply(service('orders', orders), replicaSet('reads', 'orders', reads));
  await world.untilReady('service', 'orders');
  await world.untilReady('replicaSet', 'reads');
}

const patch = (world: World, name: string, change: object) =>
  world.kubectl(['patch', 'secret', name, '--type=merge', '-p', JSON.stringify(change)]);

const metadataOf = async (world: World, name: string) =>
  (
    await world.kubectl([
      'get',
      'secret',
      name,
      '-o',
      'jsonpath={.metadata.labels} {.metadata.annotations}',
    ])
  ).stdout;

test.concurrent('connectionSecret.username and database: the Secret has them, is repaired when edited, and returns to the defaults', async ({
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

test.concurrent('connectionSecret.username and database: an edited Secret of a replica set is repaired', async ({
  expect,
}) => {
  await using world = await startWorld({ speed: 10, latencyMs: 500 });
  await ready(world);
  const { username = '', database = '', password = '' } = (await world.secret('orders-db')) ?? {};
  await patch(world, 'reads-replicas-db', {
    stringData: { username: 'root', database: 'other', password: 'x' },
  });
  await untilSecret(world, 'reads-replicas-db', { username, database, password });
  expect(world.project.calls.get('updateServicePassword')).toBeUndefined();
});

test.concurrent('connectionSecret.username and database of a replica set: its Secret has them, or those of its service when they are removed', async ({
  expect,
}) => {
  await using world = await startWorld();
  const app = { username: 'reader', database: 'shop' };
  await ready(world, { reads: { connectionSecret: app } });
  await untilSecret(world, 'reads-replicas-db', app);
  expect((await world.secret('reads-replicas-db'))?.['uri']).toMatch(
    /^postgresql:\/\/reader:.*\/shop\?/u,
  );
  await ready(world);
  await untilSecret(world, 'reads-replicas-db', { username: 'postgres', database: 'postgres' });
});

test.concurrent('connectionSecret.username and database: the Secret of a replica set follows that of its service at once', async ({
  expect,
}) => {
  // A minute takes six seconds: without a trigger, the replica set reconciles too late for this test.
  await using world = await startWorld({ speed: 10, latencyMs: 500 });
  await ready(world);
  const app = { username: 'app', database: 'shop' };
  await ready(world, { orders: { connectionSecret: app } });
  await untilSecret(world, 'reads-replicas-db', app);
  await ready(world);
  await untilSecret(world, 'reads-replicas-db', { username: 'postgres', database: 'postgres' });
  expect(world.project.calls.get('updateServicePassword')).toBeUndefined();
});

test.concurrent('connectionSecret.labels and annotations: they are set on the Secrets, and restored when a user removes them', async ({
  expect,
}) => {
  await using world = await startWorld();
  await ready(world);
  const texts = { connectionSecret: { labels: { team: 'shop' }, annotations: { note: 'ours' } } };
  await ready(world, { orders: texts, reads: texts });
  for (const name of ['orders-db', 'reads-replicas-db']) {
    const untilThere = async (words: string) =>
      until(
        `${words} on ${name}`,
        async () => (await metadataOf(world, name)).includes(words),
        () => metadataOf(world, name),
      );
    await untilThere('"team":"shop"');
    await untilThere('"note":"ours"');
    await patch(world, name, {
      metadata: { labels: { team: null }, annotations: { note: 'theirs' } },
    });
    await untilThere('"team":"shop"');
    await untilThere('"note":"ours"');
  }
  await ready(world, {
    orders: { connectionSecret: { labels: { team: 'pay' } } },
    reads: { connectionSecret: { labels: { team: 'pay' } } },
  });
  for (const name of ['orders-db', 'reads-replicas-db'])
    await until(`another label on ${name}`, async () =>
      (await metadataOf(world, name)).includes('"team":"pay"'),
    );
  expect(await metadataOf(world, 'orders-db')).toContain('managed-db.io/connection');
});

test.concurrent('connectionSecret.labels and annotations: a name that is removed from the spec stays on the Secret', async ({
  expect,
}) => {
  await using world = await startWorld();
  const texts = { connectionSecret: { labels: { team: 'shop' }, annotations: { note: 'ours' } } };
  const names = ['orders-db', 'reads-replicas-db'];
  await ready(world, { orders: texts, reads: texts });
  await ready(world, {
    orders: { connectionSecret: { labels: { app: 'x' } } },
    reads: { connectionSecret: { labels: { app: 'x' } } },
  });
  for (const name of names) {
    await until(`the new label on ${name}`, async () =>
      (await metadataOf(world, name)).includes('"app":"x"'),
    );
    expect(await metadataOf(world, name)).toMatch(/"team".*"note"/u);
  }
});

test.concurrent('connectionSecret.name: the Secret moves with its password, and back when the name is removed', async ({
  expect,
}) => {
  await using world = await startWorld();
  await ready(world);
  const password = (await world.secret('orders-db'))?.['password'] ?? '';
  const untilGone = (name: string) =>
    until(`${name} to be gone`, async () => (await world.secret(name)) === undefined);
  await ready(world, {
    orders: { connectionSecret: { name: 'write' } },
    reads: { connectionSecret: { name: 'read' } },
  });
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

test.concurrent('connectionSecret.name: a new name that a foreign Secret has leaves the Secret in its place', async ({
  expect,
}) => {
  await using world = await startWorld();
  await ready(world);
  const before = await world.secret('orders-db');
  await world.apply(secret('taken', { password: 'x' }));
  await world.apply(service('orders', { connectionSecret: { name: 'taken' } }));
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain('"taken"');
  expect([await world.secret('taken'), await world.secret('orders-db')]).toEqual([
    { password: 'x' },
    before,
  ]);
});

test.concurrent('connectionSecret.name: the Secret of a replica set does not overwrite an existing one', async ({
  expect,
}) => {
  await using world = await startWorld();
  await ready(world);
  await world.apply(secret('taken', { password: 'x' }));
  await world.apply(replicaSet('reads', 'orders', { connectionSecret: { name: 'taken' } }));
  expect(await world.untilReason('replicaSet', 'reads', 'SecretConflict')).toContain('"taken"');
  expect(await world.secret('taken')).toEqual({ password: 'x' });
  expect(await world.secret('reads-replicas-db')).toBeDefined();
});

test.concurrent('connectionSecret.name: a deleted Secret of a replica set is recreated', async ({
  expect,
}) => {
  await using world = await startWorld();
  await ready(world);
  const password = (await world.secret('orders-db'))?.['password'] ?? '';
  await world.kubectl(['delete', 'secret', 'reads-replicas-db', '--timeout=20s']);
  await untilSecret(world, 'reads-replicas-db', { password });
  await world.untilReady('replicaSet', 'reads');
  expect(world.project.calls.get('updateServicePassword')).toBeUndefined();
});
