import { expect, test } from 'vitest';
import { fence } from '../../crash/fence.ts';
import { callsOf, commitsOf } from '../../support/cloud-calls.ts';
import { holdSecret } from '../../support/hold-secret.ts';
import { letPass } from '../../support/let-pass.ts';
import { replicaSet, service } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { readyService } from '../../support/ready-service.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import { untilSecret } from '../../support/until-secret.ts';
import { untilTold } from '../../support/until-told.ts';
import { startWorld, type World } from '../../support/world.ts';

/** Secrets that lead nowhere: held by somebody else, or taking their password from each other. Nothing is written again and again. */

const passwordOf = (world: World, id: string) => world.project.stores.service.get(id)?.password;
const storedIn = async (world: World, name: string) => (await world.secret(name))?.['password'];
const releaseSecret = (world: World, name: string) =>
  world.kubectl(['patch', 'secret', name, '--type=json', '-p', '[{"op":"remove","path":"/metadata/finalizers/0"}]']);

async function watchedWorld(speed = 60) {
  const world = await startWorld({ speed, start: false });
  const watched = fence();
  await world.startedOperator({ intercept: watched.intercept });
  return { world, writes: () => watched.calls.length };
}

test('a deleted connection Secret with a foreign finalizer is waited for, reported, and recreated with its password', async () => {
  const { world, writes } = await watchedWorld();
  await using _ = world;
  const id = await readyService(world);
  await holdSecret(world, 'orders-db');
  await world.kubectl(['delete', 'secret', 'orders-db', '--wait=false']);
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain('example.com/backup');
  const before = writes();
  await letPass(world, 120_000);
  expect(writes() - before).toBeLessThan(3);
  await world.kubectl(['patch', 'secret', 'orders-db', '--type=merge', '-p', '{"metadata":{"finalizers":["managed-db.io/connection"]}}']);
  await until(
    'another',
    async () => (await world.kubectl(['get', 'secret', 'orders-db', '-o', 'jsonpath={.metadata.deletionTimestamp}'])).stdout === '',
  );
  await world.untilReady('service', 'orders');
  expect([await storedIn(world, 'orders-db'), callsOf(world, 'updateServicePassword')]).toEqual([passwordOf(world, id), 0]);
});

test('a service of the same name is made, though a foreign finalizer holds the Secret of the one that was deleted', async () => {
  await using world = await startWorld(sharedProject);
  const first = await readyService(world);
  await holdSecret(world, 'orders-db');
  await world.remove('service', 'orders');
  await world.apply(service('orders'));
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain('example.com/backup');
  await releaseSecret(world, 'orders-db');
  await world.untilReady('service', 'orders');
  const { id = '' } = recordOf(await world.service('orders'));
  expect(id).not.toBe(first);
  expect([commitsOf(world, 'createService'), await storedIn(world, 'orders-db')]).toEqual([2, passwordOf(world, id)]);
});

test('a used pending Secret with a foreign finalizer is reported, and the next password waits until it is gone', async () => {
  const { world, writes } = await watchedWorld();
  await using _ = world;
  const id = await readyService(world);
  world.project.faults.add({ kind: 'errorBefore', operation: 'updateServicePassword', status: 503 });
  await world.apply(service('orders', { password: { rotation: 'one' } }));
  await until('a password on its way', () => world.secret('orders-db-pending'));
  expect(await holdSecret(world, 'orders-db-pending')).toMatchObject({ code: 0 });
  world.project.faults.clear();
  await world.untilReady('service', 'orders');
  await untilTold(world, 'example.com/backup');
  const before = writes();
  await letPass(world, 60_000);
  expect(writes() - before).toBeLessThan(3);

  await world.apply(service('orders', { password: { rotation: 'two' } }));
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain('"orders-db-pending"');
  const waiting = writes();
  await letPass(world, 60_000);
  expect([commitsOf(world, 'updateServicePassword'), writes() - waiting < 3]).toEqual([1, true]);
  await releaseSecret(world, 'orders-db-pending');
  await world.untilReady('service', 'orders');
  expect([commitsOf(world, 'updateServicePassword'), await storedIn(world, 'orders-db')]).toEqual([2, passwordOf(world, id)]);
});

test.each(['orders-db', 'orders-db-pending'])("a secretRef to the object's own Secret %s is refused, and nothing is sent", async (name) => {
  const { world, writes } = await watchedWorld();
  await using _ = world;
  const id = await readyService(world);
  const before = passwordOf(world, id);
  await world.apply(service('orders', { password: { secretRef: { name } } }));
  expect(await world.untilReason('service', 'orders', 'Rejected')).toContain('this object itself');
  const written = writes();
  await letPass(world, 60_000);
  expect([passwordOf(world, id), await storedIn(world, 'orders-db'), callsOf(world, 'updateServicePassword')]).toEqual([before, before, 0]);
  expect(writes() - written).toBeLessThan(3);
});

test('services that take their passwords from each other report the ring, and keep their own', async () => {
  await using world = await startWorld();
  const one = await readyService(world, {}, 'one');
  const two = await readyService(world, {}, 'two');
  const before = [passwordOf(world, one), passwordOf(world, two)];
  await world.stopOperators();
  await world.apply(
    service('one', { password: { secretRef: { name: 'two-db' } } }),
    service('two', { password: { secretRef: { name: 'one-db' } } }),
  );
  const watched = fence();
  await world.startedOperator({ intercept: watched.intercept });
  for (const name of ['one', 'two']) {
    const message = await world.untilReason('service', name, 'Rejected');
    expect([message.includes('ManagedService/one'), message.includes('ManagedService/two')]).toEqual([true, true]);
  }
  await letPass(world, 60_000);
  expect([passwordOf(world, one), passwordOf(world, two)]).toEqual(before);
  expect(watched.calls.length).toBeLessThan(8);
});

test('a service that takes its password from its own replica set reports the ring', async () => {
  await using world = await startWorld();
  await readyService(world);
  await world.applyUntilReady(replicaSet('reads', 'orders'));
  await world.apply(service('orders', { password: { secretRef: { name: 'reads-replicas-db' } } }));
  expect(await world.untilReason('service', 'orders', 'Rejected')).toContain('this object itself');
  expect(callsOf(world, 'updateServicePassword')).toBe(0);
});

test('a service may take its password from another one that does not take it back', async () => {
  await using world = await startWorld();
  await readyService(world, {}, 'one');
  const two = await readyService(world, { password: { secretRef: { name: 'one-db' } } }, 'two');
  await untilSecret(world, 'two-db', { password: (await storedIn(world, 'one-db')) ?? '' });
  expect(passwordOf(world, two)).toBe(await storedIn(world, 'one-db'));
});
