import { expect, test } from 'vitest';
import { operatorThatDies } from '../../crash/fence.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { service } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { readyService } from '../../support/ready-service.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import { untilSecret } from '../../support/until-secret.ts';
import { startWorld, type World } from '../../support/world.ts';

/** While a deleted Secret is made again, its password is copied: that is no request, and is told to nobody. (docs/safety.md, Passwords) */

/** A service that was taken over, with a password that somebody told its Secret. */
async function adopted(world: World): Promise<void> {
  await world.createInCloud('services', { name: 'legacy', cpu_millis: '1000', memory_gbs: '4' });
  const id = world.project.everCreated.at(-1)?.id ?? '';
  await world.applyUntilReady(service('orders', {}, { 'managed-db.io/external-id': id }));
  await world.kubectl(['patch', 'secret', 'orders-db', '--type=merge', '-p', '{"stringData":{"password":"told-by-hand"}}']);
  await untilSecret(world, 'orders-db', { password: 'told-by-hand' });
  await until('the URI', async () => (await world.secret('orders-db'))?.['uri']?.includes(':told-by-hand@'));
  await world.untilReady('service', 'orders');
}

test.each([
  ['before the old Secret is let go', 'PATCH secrets/orders-db #1'],
  ['before the Secret is there again', 'POST secrets/orders-db #2'],
  ['before the copy is removed', 'DELETE secrets/orders-db-pending #1'],
])('a crash %s leaves the password unsent, and it stays a foreign password', async (_when, call) => {
  await using world = await startWorld({ ...sharedProject, start: false });
  const first = await operatorThatDies(world, { call, harm: 'beforeSent' });
  await adopted(world);
  await world.kubectl(['delete', '--wait=false', 'secret', 'orders-db']);
  await first.died;
  await world.startedOperator();
  await until('the copy to go', async () => (await world.secret('orders-db-pending')) === undefined);
  await untilSecret(world, 'orders-db', { password: 'told-by-hand' });
  await world.untilReady('service', 'orders');
  await world.sync('service', 'orders');
  expect((await world.secret('orders-db'))?.['uri']).toContain(':told-by-hand@');
  expect([callsOf(world, 'updateServicePassword'), recordOf(await world.service('orders')).password]).toEqual([0, 'unmanaged']);
});

test("while a new password waits, a crash leaves the cloud's present one beside it", async () => {
  await using world = await startWorld({ start: false });
  const first = await operatorThatDies(world, { call: 'POST secrets/orders-db #2', harm: 'beforeSent' });
  const id = await readyService(world, { password: { rotation: 'one' } });
  const present = (await world.secret('orders-db'))?.['password'];
  world.project.faults.add({ kind: 'errorBefore', operation: 'updateServicePassword', status: 409, body: { message: 'busy' } });
  await world.apply(service('orders', { password: { rotation: 'two' } }));
  const next = await until('the pending password', async () => (await world.secret('orders-db-pending'))?.['password']);
  await world.kubectl(['delete', '--wait=false', 'secret', 'orders-db']);
  await first.died;
  expect([present, Object.values((await world.secret('orders-db-pending')) ?? {})]).toEqual([
    world.project.stores.service.get(id)?.password,
    expect.arrayContaining([next, present]),
  ]);
  world.project.faults.clear();
  await world.startedOperator();
  await untilSecret(world, 'orders-db', { password: next ?? '' });
  await until('the pending Secret to go', async () => (await world.secret('orders-db-pending')) === undefined);
  await world.untilReady('service', 'orders');
  expect(world.project.stores.service.get(id)?.password).toBe(next);
});
