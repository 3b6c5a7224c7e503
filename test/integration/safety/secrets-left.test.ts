import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { operatorThatDies } from '../../crash/fence.ts';
import { callsOf, commitsOf } from '../../support/cloud-calls.ts';
import { loseObject } from '../../support/lose-object.ts';
import { service } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { readyService } from '../../support/ready-service.ts';
import { refusing } from '../../support/refusing.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { takeThePlace } from '../../support/take-the-place.ts';
import { until } from '../../support/until.ts';
import { whileStopped } from '../../support/while-stopped.ts';
import { startWorld, type World } from '../../support/world.ts';

/** Which Secrets are left in the end: those of what was kept, and no others. (docs/safety.md, Deleting; What a Secret proves) */

const passwordSets = (world: World) => commitsOf(world, 'updateServicePassword');
const passwordOf = (world: World, id: string) => world.project.stores.service.get(id)?.password;
const storedIn = async (world: World, name: string) => (await world.secret(name))?.['password'];

/** Another service of the cloud, which an object of the same name only observes. */
async function observeAnother(world: World): Promise<void> {
  await world.createInCloud('services', { name: 'legacy', cpu_millis: '1000', memory_gbs: '4' });
  const id = world.project.everCreated.at(-1)?.id ?? '';
  await world.apply({ ...service('orders', {}, { 'managed-db.io/external-id': id }), spec: { managementPolicy: 'Observe' } });
  await world.untilReason('service', 'orders', 'Observed');
}

/** Those Secrets of the namespace that a finalizer of ours would keep it from going. */
async function heldSecrets(world: World): Promise<readonly string[]> {
  const each = '{range .items[*]}{.metadata.name} {.metadata.finalizers}{"\\n"}{end}';
  const { stdout } = await world.kubectl(['get', 'secrets', '-o', `jsonpath=${each}`]);
  return stdout.split('\n').filter((line) => line.includes('managed-db.io/'));
}

test('a Secret that was released without its label, and deleted, blocks nothing', async () => {
  await using world = await startWorld();
  await readyService(world, { deletionPolicy: 'Retain' });
  await whileStopped(world, async () => {
    await world.kubectl(['label', 'secret', 'orders-db', 'managed-db.io/connection-']);
    await world.kubectl(['delete', 'managedservice', 'orders', '--wait=false']);
  });
  await world.untilGone('service', 'orders');
  expect(await world.kubectl(['delete', 'secret', 'orders-db'])).toMatchObject({ code: 0 });
  await world.applyUntilReady(service('orders'));
});

test('a Secret that lost its label is recognized, gets it back, and is deleted with its service', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await world.kubectl(['label', 'secret', 'orders-db', 'managed-db.io/connection-']);
  await world.sync('service', 'orders');
  const label = ['get', 'secret', 'orders-db', '-o', 'jsonpath={.metadata.labels.managed-db\\.io/connection}'];
  await until('the label', async () => (await world.kubectl(label)).stdout === 'true');
  await world.untilReady('service', 'orders');
  expect([passwordSets(world), await storedIn(world, 'orders-db')]).toEqual([0, passwordOf(world, id)]);

  await world.stopOperators();
  await world.kubectl(['label', 'secret', 'orders-db', 'managed-db.io/connection-']);
  await world.kubectl(['delete', '--wait=false', 'managedservice', 'orders']);
  await world.startedOperator();
  await world.untilGone('service', 'orders');
  expect(await world.secret('orders-db')).toBeUndefined();
});

test('a restored object removes its old Secret when its connection moves', async () => {
  await using world = await startWorld();
  await readyService(world);
  const record = (await world.service('orders'))?.metadata.annotations?.['managed-db.io/record'] ?? '';
  await loseObject(world);
  await world.apply(service('orders', {}, { 'managed-db.io/record': record }));
  await world.startedOperator();
  await world.untilReady('service', 'orders');
  await world.kubectl(['patch', 'managedservice', 'orders', '--type=merge', '-p', '{"spec":{"connectionSecret":{"name":"elsewhere"}}}']);
  await until('the new one', () => world.secret('elsewhere'));
  await until('the old one to go', async () => (await world.secret('orders-db')) === undefined);
  expect(passwordSets(world)).toBe(0);
});

test('the Secret of a previous resource that was retained stays, whatever happens to a new object of its name', async () => {
  await using world = await startWorld(sharedProject);
  world.project.faults.add({ kind: 'errorBefore', operation: 'createService', status: 422, body: { message: 'no' } });
  await world.apply(service('orders'));
  await world.untilReason('service', 'orders', 'Rejected');
  const metadata = {
    name: 'orders-db',
    labels: { 'managed-db.io/connection': 'true' },
    annotations: { 'managed-db.io/owner': 'ManagedService/orders', 'managed-db.io/id': 'k2m9q1zx4w' },
  };
  await world.apply({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: { password: 'x' } });
  await world.untilReason('service', 'orders', 'OwnedElsewhere');
  expect(await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=20s'])).toMatchObject({ code: 0 });
  expect(await world.secret('orders-db')).toEqual({ password: 'x' });
});

test('the Secret of a retained service is not deleted with another service of an object of the same name', async () => {
  await using world = await startWorld(sharedProject);
  await readyService(world, { deletionPolicy: 'Retain' });
  await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=20s']);
  const kept = await world.secret('orders-db');
  expect(kept?.['password']).toBeDefined();
  await observeAnother(world);
  await world.kubectl(['patch', 'managedservice', 'orders', '--type=merge', '-p', '{"spec":{"managementPolicy":"Manage"}}']);
  await world.untilReason('service', 'orders', 'SecretConflict');
  await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=20s']);
  expect(await world.secret('orders-db')).toEqual(kept);
});

test('an observed object binds no Secret that does not exist', async () => {
  await using world = await startWorld(sharedProject);
  await observeAnother(world);
  await world.sync('service', 'orders');
  expect([await world.secret('orders-db'), (await world.service('orders'))?.status?.binding]).toEqual([undefined, undefined]);
});

test('a pending password under an abandoned name does not hold the namespace', async () => {
  await using world = await startWorld();
  await readyService(world);
  world.project.faults.add({ kind: 'errorBefore', operation: 'updateServicePassword', status: 503 });
  await world.apply(service('orders', { password: { rotation: 'one' } }));
  await until('a try', () => callsOf(world, 'updateServicePassword') > 0);
  await whileStopped(world, async () => {
    await takeThePlace(world);
    world.project.faults.clear();
    await world.apply(service('orders', { connectionSecret: { name: 'elsewhere' } }));
  });
  await world.untilReady('service', 'orders');
  await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=20s']);
  expect(await heldSecrets(world)).toEqual([]);
});

test('a Secret of a move that was reverted after a crash does not hold the namespace', async () => {
  await using world = await startWorld({ start: false });
  const first = await operatorThatDies(world, { call: 'POST secrets/elsewhere #1', harm: 'afterReply' });
  await readyService(world);
  await world.apply(service('orders', { connectionSecret: { name: 'elsewhere' } }));
  await first.died;
  await world.kubectl(['patch', 'managedservice', 'orders', '--type=merge', '-p', '{"spec":{"connectionSecret":null}}']);
  await world.startedOperator();
  await world.untilReady('service', 'orders');
  await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=20s']);
  expect(await heldSecrets(world)).toEqual([]);
});

test('the old Secret of a move stays the connection Secret where the new one is gone', async () => {
  await using world = await startWorld({ start: false });
  const removal = { isRefused: true };
  await world.startOperator({
    intercept: refusing(({ method, path }) =>
      removal.isRefused && method === 'DELETE' && path.endsWith('/secrets/orders-db') ? { code: 403, message: 'not now' } : undefined,
    ),
  });
  const id = await readyService(world);
  const password = passwordOf(world, id);
  await world.apply(service('orders', { connectionSecret: { name: 'elsewhere' } }));
  await until('the record', async () => recordOf(await world.service('orders')).previousSecretName);
  await whileStopped(world, async () => {
    await world.kubectl(['patch', 'secret', 'elsewhere', '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
    await world.kubectl(['delete', 'secret', 'elsewhere']);
  });
  await until(
    'the move',
    async () => (await storedIn(world, 'elsewhere')) !== undefined && (await storedIn(world, 'orders-db')) === undefined,
  );
  expect([await storedIn(world, 'elsewhere'), passwordOf(world, id)]).toEqual([password, password]);
  expect(callsOf(world, 'updateServicePassword')).toBe(0);
});

test.each(['another name', 'its old name'])(
  'a Secret that was made for a move is gone when the spec asks for %s meanwhile',
  async (asked) => {
    await using world = await startWorld({ start: false });
    const name = asked === 'its old name' ? 'orders-db' : 'later';
    let hasChanged = false;
    const edited: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
      const isEnd = options.method === 'PATCH' && typeof options.body === 'string' && options.body.includes('previousSecretName');
      if (!isEnd || hasChanged) return dispatch(options, handler);
      hasChanged = true;
      void world.apply(service('orders', { connectionSecret: { name } })).then(() => dispatch(options, handler));
      return true;
    };
    await world.startedOperator({ intercept: edited });
    const id = await readyService(world);
    await world.apply(service('orders', { connectionSecret: { name: 'elsewhere' } }));
    await until('the end of the move', () => hasChanged);
    await until('the Secret to have that name', async () => (await world.service('orders'))?.status?.binding?.name === name);
    await world.sync('service', 'orders');
    await world.sync('service', 'orders');
    expect(await heldSecrets(world)).toEqual([expect.stringContaining(`${name} `)]);
    expect([await storedIn(world, name), passwordSets(world)]).toEqual([passwordOf(world, id), 0]);
  },
);
