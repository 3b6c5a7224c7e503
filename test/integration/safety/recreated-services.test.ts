import { expect, test } from 'vitest';
import { syncedOf } from '../../../src/resources/condition.ts';
import { force } from '../../../src/simulator/store.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { letPass } from '../../support/let-pass.ts';
import { replicaSet, secret, service, vpc } from '../../support/manifests.ts';
import { readyService } from '../../support/ready-service.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** Requests, results and refusals of a lost service say nothing of its replacement. */

const inCloud = (world: World, id: string) =>
  world.project.stores.service.get(id)?.timeline.at(world.clock.now());
const idOf = async (world: World) => (await world.service('orders'))?.status?.id ?? '';
const annotate = (world: World, ...texts: readonly string[]) =>
  world.kubectl(['annotate', '--overwrite', 'managedservice', 'orders', ...texts]);

async function lose(world: World, id: string): Promise<void> {
  force(world.project, { kind: 'service', id, status: undefined });
  await world.untilReason('service', 'orders', 'Lost');
  world.project.faults.clear();
}

/** Loses a service while a password is in flight that the cloud has not accepted. */
async function lostWithPending(world: World, before: object, spec: object): Promise<string> {
  const id = await readyService(world, before);
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'updateServicePassword',
    status: 409,
    body: { message: 'busy' },
  });
  await world.apply(service('orders', spec));
  await until('a next password', async () => (await world.entry('orders'))?.content?.next);
  await lose(world, id);
  return id;
}

async function another(world: World, id: string): Promise<string> {
  await annotate(world, `managed-db.io/allow-recreate=${id}`);
  await until('another', async () => (await idOf(world)) !== id);
  return idOf(world);
}

test.concurrent('a service that is adopted in the place of a lost one keeps its password, though another password was in flight to the lost service', async () => {
  await using world = await startWorld(sharedProject);
  const id = await lostWithPending(
    world,
    { password: { rotation: 'one' } },
    { password: { rotation: 'two' } },
  );
  expect(
    await world.createInCloud('services', { name: 'legacy', cpu_millis: '1000', memory_gbs: '4' }),
  ).toBe(202);
  const legacy = world.project.everCreated.at(-1)?.id ?? '';
  await until('it to be READY', () => inCloud(world, legacy)?.status === 'READY');
  const [password, calls] = [
    world.project.stores.service.get(legacy)?.password,
    callsOf(world, 'updateServicePassword'),
  ];
  await annotate(
    world,
    `managed-db.io/external-id=${legacy}`,
    `managed-db.io/allow-recreate=${id}`,
  );
  await world.untilReady('service', 'orders');
  await letPass(world, 300_000);
  expect([await idOf(world), world.project.stores.service.get(legacy)?.password]).toEqual([
    legacy,
    password,
  ]);
  expect([
    callsOf(world, 'updateServicePassword') - calls,
    (await world.entry('orders'))?.content?.next,
  ]).toEqual([0, undefined]);
});

test.concurrent('a service in the place of a lost one gets the password of the secretRef, though that password was in flight to the lost service', async () => {
  await using world = await startWorld();
  await world.apply(secret('mine', { password: 'users-own-password' }));
  const id = await lostWithPending(
    world,
    {},
    { password: { secretRef: { name: 'mine', key: 'password' } } },
  );
  const next = await another(world, id);
  await world.untilReady('service', 'orders');
  await letPass(world, 300_000);
  expect(world.project.stores.service.get(next)?.password).toBe('users-own-password');
  expect((await world.secret('orders-db'))?.['password']).toBe('users-own-password');
});

test.concurrent('a change that the cloud accepted without effect for a lost service is requested for its replacement', async () => {
  await using world = await startWorld();
  await world.applyUntilReady(vpc('a'));
  const id = await readyService(world);
  world.project.faults.add({ kind: 'ignored', operation: 'attachServiceToVpc' });
  await world.apply(service('orders', { vpcRef: { name: 'a' } }));
  await world.untilReason('service', 'orders', 'NotApplied');
  await lose(world, id);
  const next = await another(world, id);
  await world.untilReady('service', 'orders');
  expect(inCloud(world, next)?.vpcEndpoint).toMatchObject({
    vpc_id: (await world.vpc('a'))?.status?.id,
  });
});

test.concurrent('a lost replica set that may be recreated names its lost service, and is recreated after the service', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await world.applyUntilReady(replicaSet('reads', 'orders'));
  const set = (await world.replicaSet('reads'))?.status?.id ?? '';
  await lose(world, id);
  await world.untilReason('replicaSet', 'reads', 'Lost');
  const allowed = `managed-db.io/allow-recreate=${set}`;
  await world.kubectl(['annotate', 'readreplicasets', 'reads', allowed]);
  await world.untilReason('replicaSet', 'reads', 'ReferenceBlocked');
  expect(syncedOf((await world.replicaSet('reads')) ?? {})?.message).toBe(
    `service ${id} is not seen: the status of ManagedService orders (Lost) names the next action`,
  );
  await another(world, id);
  await world.untilReady('replicaSet', 'reads');
  expect((await world.replicaSet('reads'))?.status?.id).not.toBe(set);
});
