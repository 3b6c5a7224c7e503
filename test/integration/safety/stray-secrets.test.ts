import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { force } from '../../../src/simulator/store.ts';
import { operatorThatDies } from '../../crash/fence.ts';
import { commitsOf } from '../../support/cloud-calls.ts';
import { letPass } from '../../support/let-pass.ts';
import { loseObject } from '../../support/lose-object.ts';
import { replicaSet, service } from '../../support/manifests.ts';
import { readyService } from '../../support/ready-service.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import { whileStopped } from '../../support/while-stopped.ts';
import { startWorld, type World } from '../../support/world.ts';

/** Connection Secrets that somebody deletes: those that an object will make again are kept for it, all others go. (docs/safety.md, Passwords) */

const passwordSets = (world: World) => commitsOf(world, 'updateServicePassword');
const allowRecreation = (world: World, id: string) =>
  world.kubectl(['annotate', 'managedservice', 'orders', `managed-db.io/allow-recreate=${id}`]);

/** As people copy one: everything but the name stays, our finalizer too. */
async function copySecret(world: World, name: string): Promise<void> {
  const { stdout } = await world.kubectl(['get', 'secret', 'orders-db', '-o', 'yaml']);
  const copy = stdout.replace('name: orders-db', `name: ${name}`).replaceAll(/^ {2}(?:uid|resourceVersion):.*\n/gmu, '');
  expect(await world.kubectl(['create', '-f', '-'], copy)).toMatchObject({ code: 0 });
}

test('a copy of a connection Secret can be deleted while its service lives, which keeps its own', async () => {
  await using world = await startWorld();
  await readyService(world);
  const before = await world.secret('orders-db');
  await copySecret(world, 'copied');
  expect(await world.kubectl(['delete', 'secret', 'copied', '--timeout=20s'])).toMatchObject({ code: 0 });
  await world.sync('service', 'orders');
  expect([await world.secret('orders-db'), passwordSets(world)]).toEqual([before, 0]);
});

test('a connection Secret whose object was deleted without the operator can be deleted', async () => {
  await using world = await startWorld();
  await readyService(world);
  await whileStopped(world, () => loseObject(world));
  expect(await world.secret('orders-db')).toBeDefined();
  expect(await world.kubectl(['delete', 'secret', 'orders-db', '--timeout=20s'])).toMatchObject({ code: 0 });
});

test('a Secret that blocks an object with another service can be deleted, as the object asks for', async () => {
  await using world = await startWorld(sharedProject);
  await readyService(world);
  const old = await world.secret('orders-db');
  await whileStopped(world, async () => {
    await loseObject(world);
    await world.createInCloud('services', { name: 'legacy', cpu_millis: '1000', memory_gbs: '4' });
    const legacy = world.project.everCreated.at(-1)?.id ?? '';
    await world.apply({ ...service('orders', {}, { 'managed-db.io/external-id': legacy }), spec: { managementPolicy: 'Observe' } });
  });
  await world.untilReason('service', 'orders', 'Observed');
  await world.kubectl(['patch', 'managedservice', 'orders', '--type=merge', '-p', '{"spec":{"managementPolicy":"Manage"}}']);
  await world.untilReason('service', 'orders', 'SecretConflict');
  expect(await world.kubectl(['delete', 'secret', 'orders-db', '--timeout=20s'])).toMatchObject({ code: 0 });
  await world.untilReady('service', 'orders');
  expect((await world.secret('orders-db'))?.['password']).not.toBe(old?.['password']);
});

test('a Secret is not released because the kind of its object is not served for a moment', async () => {
  await using world = await startWorld({ start: false });
  let isServed = true;
  let looks = 0;
  const unserved: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    const isRead = options.method === 'GET' && options.path.endsWith('/managedservices/orders');
    if (isRead && !isServed) looks += 1;
    return dispatch(isServed || !isRead ? options : { ...options, path: options.path.replace('v1alpha1', 'v0') }, handler);
  };
  await world.startedOperator({ intercept: unserved });
  await readyService(world);
  await world.apply(service('orders', { suspend: true }));
  await world.untilReason('service', 'orders', 'Suspended');
  isServed = false;
  await world.kubectl(['delete', 'secret', 'orders-db', '--wait=false']);
  await until('a look for the object', () => looks > 0);
  await letPass(world, 5_000);
  isServed = true;
  await world.applyUntilReady(service('orders', { suspend: false }));
  await world.sync('service', 'orders');
  expect(passwordSets(world)).toBe(0);
});

test('a Secret that was deleted while its service was lost keeps the password in the answer to the recreation', async () => {
  await using world = await startWorld({ start: false });
  let isStored = false;
  // The API server is slow to take the record that follows the Secret.
  const slow: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    if (options.method === 'PUT' && options.path.includes('/secrets/orders-db') && world.project.everCreated.length === 2) isStored = true;
    if (!isStored || options.method !== 'PATCH' || !/managedservices\/orders\?/u.test(options.path)) return dispatch(options, handler);
    setTimeout(() => dispatch(options, handler), 300);
    return true;
  };
  await world.startedOperator({ intercept: slow });
  const id = await readyService(world);
  force(world.project, { kind: 'service', id, status: undefined });
  await world.untilReason('service', 'orders', 'Lost');
  await world.kubectl(['delete', '--wait=false', 'secret', 'orders-db']);
  await allowRecreation(world, id);
  await until('another', () => world.project.everCreated.length === 2);
  await world.untilReady('service', 'orders');
  await world.sync('service', 'orders');
  const next = (await world.service('orders'))?.status?.id ?? '';
  expect([(await world.secret('orders-db'))?.['password'], passwordSets(world)]).toEqual([
    world.project.stores.service.get(next)?.password,
    0,
  ]);
});

test('the stored answer to a recreation is not released before the record has it', async () => {
  await using world = await startWorld();
  const id = await readyService(world, { name: 'orders' });
  await world.stopOperators();
  const second = await operatorThatDies(world, { call: 'PUT secrets/orders-db #1', harm: 'afterReply' });
  force(world.project, { kind: 'service', id, status: undefined });
  await world.untilReason('service', 'orders', 'Lost');
  await allowRecreation(world, id);
  await second.died;
  const [, ours] = world.project.everCreated;
  expect(await world.createInCloud('services', { name: 'orders', cpu_millis: '1000', memory_gbs: '4' })).toBe(202);
  await world.kubectl(['delete', '--wait=false', 'secret', 'orders-db']);
  await world.startOperator();
  await world.untilReady('service', 'orders');
  expect([(await world.service('orders'))?.status?.id, passwordSets(world)]).toEqual([ours?.id, 0]);
});

test('a Secret that NotAllowed asks to delete can be deleted', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await whileStopped(world, async () => {
    await loseObject(world);
    await world.apply(service('orders'));
  });
  expect(await world.untilReason('service', 'orders', 'NotAllowed')).toContain('or delete that Secret to have a new service');
  expect(await world.kubectl(['delete', 'secret', 'orders-db', '--timeout=15s'])).toMatchObject({ code: 0 });
  await world.untilReady('service', 'orders');
  expect((await world.service('orders'))?.status?.id).not.toBe(id);
});

test('a Secret that blocks an adoption can be deleted, as SecretConflict asks', async () => {
  await using world = await startWorld(sharedProject);
  await readyService(world);
  await world.createInCloud('services', { name: 'legacy', cpu_millis: '1000', memory_gbs: '4' });
  const legacy = world.project.everCreated.at(-1)?.id ?? '';
  await whileStopped(world, async () => {
    await loseObject(world);
    await world.apply(service('orders', {}, { 'managed-db.io/external-id': legacy }));
  });
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain('or delete that Secret');
  expect(await world.kubectl(['delete', 'secret', 'orders-db', '--timeout=15s'])).toMatchObject({ code: 0 });
  await world.untilReady('service', 'orders');
});

test('a connection does not move into a Secret that is being released', async () => {
  await using world = await startWorld({ start: false });
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  let held = 0;
  const slow: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    if (options.method === 'GET' && options.path.endsWith('/secrets/elsewhere') && held === 0) {
      held += 1;
      void gate.then(() => dispatch(options, handler));
      return true;
    }
    const isMove = options.method === 'PATCH' && typeof options.body === 'string' && options.body.includes('previousSecretName');
    if (!isMove) return dispatch(options, handler);
    open();
    setTimeout(() => dispatch(options, handler), 300);
    return true;
  };
  await world.startedOperator({ intercept: slow });
  await readyService(world);
  await copySecret(world, 'elsewhere');
  await world.kubectl(['delete', 'secret', 'elsewhere', '--wait=false']);
  await until('the look at it', () => held === 1);
  await world.apply(service('orders', { connectionSecret: { name: 'elsewhere' } }));
  await until('the old one to go', async () => (await world.secret('orders-db')) === undefined);
  await world.untilReady('service', 'orders');
  await until('the new one', () => world.secret('elsewhere'));
  await world.sync('service', 'orders');
  expect(passwordSets(world)).toBe(0);
});

test('a pending password that lost its label does not hold the namespace once its object is gone', async () => {
  await using world = await startWorld();
  await readyService(world);
  world.project.faults.add({ kind: 'errorBefore', operation: 'updateServicePassword', status: 503 });
  await world.apply(service('orders', { password: { rotation: 'one' } }));
  await until('it', () => world.secret('orders-db-pending'));
  await world.kubectl(['label', 'secret', 'orders-db-pending', 'managed-db.io/connection-']);
  await world.sync('service', 'orders');
  await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=20s']);
  expect(await world.kubectl(['delete', 'secret', 'orders-db-pending', '--ignore-not-found', '--timeout=10s'])).toMatchObject({ code: 0 });
});

test('a copy under the name of the pending Secret can be deleted, as SecretConflict asks', async () => {
  await using world = await startWorld();
  await readyService(world);
  await copySecret(world, 'orders-db-pending');
  await world.apply(service('orders', { password: { rotation: 'one' } }));
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain('delete that Secret');
  expect(await world.kubectl(['delete', 'secret', 'orders-db-pending', '--timeout=15s'])).toMatchObject({ code: 0 });
  await world.untilReady('service', 'orders');
});

test('a connection Secret of an observed object can be deleted', async () => {
  await using world = await startWorld();
  await readyService(world);
  const before = await world.secret('orders-db');
  await world.kubectl(['patch', 'managedservice', 'orders', '--type=merge', '-p', '{"spec":{"managementPolicy":"Observe"}}']);
  await world.untilReason('service', 'orders', 'Observed');
  expect(await world.kubectl(['delete', 'secret', 'orders-db', '--timeout=15s'])).toMatchObject({ code: 0 });
  await until('it to be made again', async () => (await world.secret('orders-db'))?.['password'] === before?.['password']);
});

test('a move whose old Secret has just been deleted does not remove the password from the new one', async () => {
  await using world = await startWorld({ start: false });
  let isOldGone = false;
  let reads = 0;
  const gone: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    const isOld = options.method === 'GET' && options.path.endsWith('/secrets/orders-db');
    if (isOldGone && isOld) reads += 1;
    return dispatch(isOldGone && isOld ? { ...options, path: `${options.path}-not` } : options, handler);
  };
  await world.startedOperator({ intercept: gone });
  await readyService(world);
  const before = await world.secret('orders-db');
  await copySecret(world, 'elsewhere');
  isOldGone = true;
  await world.apply(service('orders', { connectionSecret: { name: 'elsewhere' } }));
  await until('reads', () => reads > 0);
  await letPass(world, 3_000);
  isOldGone = false;
  await world.untilReady('service', 'orders');
  await world.sync('service', 'orders');
  expect((await world.secret('elsewhere'))?.['password']).toBe(before?.['password']);
});

test("a replica set's Secret that was held for a while leaves no second copy of its password behind", async () => {
  await using world = await startWorld();
  await readyService(world);
  await world.applyUntilReady(replicaSet('reads', 'orders'));
  const name = 'reads-replicas-db';
  const patch = (finalizers: string) => world.kubectl(['patch', 'secret', name, '--type=json', '-p', `[${finalizers}]`]);
  await patch('{"op":"add","path":"/metadata/finalizers/-","value":"example.com/backup"}');
  await world.kubectl(['delete', 'secret', name, '--wait=false']);
  await world.untilReason('replicaSet', 'reads', 'SecretConflict');
  await patch('{"op":"remove","path":"/metadata/finalizers"}');
  await until('the copy to go', async () => (await world.secret(`${name}-pending`)) === undefined);
  await world.apply(replicaSet('reads', 'orders', { connectionSecret: { name: 'elsewhere' } }));
  await until('the Secret under its new name', () => world.secret('elsewhere'));
  await world.untilReady('replicaSet', 'reads');
  expect((await world.secret('elsewhere'))?.['password']).toBe((await world.secret('orders-db'))?.['password']);
});
