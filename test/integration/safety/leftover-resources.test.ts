import { expect, test } from 'vitest';
import { loseObject } from '../../support/lose-object.ts';
import { service } from '../../support/manifests.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** An object of a name whose earlier object left a service in the cloud asks before it creates another service. */

async function retained(world: World): Promise<string> {
  await world.applyUntilReady(service('orders', { deletionPolicy: 'Retain' }));
  const id = (await world.service('orders'))?.status?.id ?? '';
  await world.remove('service', 'orders');
  return id;
}

test('a new object with the name of a retained service is NotBound, and adopts the service with its password', async () => {
  await using world = await startWorld();
  const id = await retained(world);
  const before = await world.secret('orders-db');
  await world.apply(service('orders'));
  expect(await world.untilReason('service', 'orders', 'NotBound')).toContain(id);
  expect(world.project.everCreated).toHaveLength(1);
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'managed-db.io/external-id': id } },
  });
  await world.untilReady('service', 'orders');
  expect((await world.service('orders'))?.status?.id).toBe(id);
  expect((await world.secret('orders-db'))?.['password']).toBe(before?.['password']);
});

test('a new object with the name of a retained service creates another service once create-anyway names the retained id', async () => {
  await using world = await startWorld();
  const id = await retained(world);
  await world.apply(service('orders', { connectionSecret: { name: 'second' } }));
  await world.untilReason('service', 'orders', 'NotBound');
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'managed-db.io/create-anyway': id } },
  });
  await world.untilReady('service', 'orders');
  expect((await world.service('orders'))?.status?.id).not.toBe(id);
  expect(world.project.stores.service.get(id)).toBeDefined();
});

test('an object that is applied again after its finalizer was removed by hand asks before it creates a second service', async () => {
  await using world = await startWorld();
  await world.applyUntilReady(service('orders'));
  const id = (await world.service('orders'))?.status?.id ?? '';
  await world.stopOperators();
  await world.delete('service', 'orders');
  await world.kubectl([
    'patch',
    'managedservice',
    'orders',
    '--type=merge',
    '-p',
    '{"metadata":{"finalizers":null}}',
  ]);
  await world.apply(service('orders'));
  await world.startedOperator();
  expect(await world.untilReason('service', 'orders', 'NotBound')).toContain(id);
  expect(world.project.everCreated).toHaveLength(1);
});

test('an object that is deleted with Retain during an unanswered create leaves an event with the id, and an adoption can set a password', async () => {
  await using world = await startWorld();
  world.project.faults.add({ kind: 'replyLost', operation: 'createService', times: 1 });
  await world.apply(service('orders', { deletionPolicy: 'Retain' }));
  await until('the create', () => world.project.everCreated.length === 1);
  await world.remove('service', 'orders');
  const [id = ''] = world.project.everCreated.map((each) => each.id);
  expect(await world.untilEvent('orders', 'Retained')).toContain(`${id} in project`);
  await world.apply(service('orders', {}, { 'managed-db.io/external-id': id }));
  await world.untilReady('service', 'orders');
  expect((await world.secret('orders-db'))?.['password']).toBeUndefined();
  await world.apply(
    service('orders', { password: { rotation: 'first' } }, { 'managed-db.io/external-id': id }),
  );
  await until(
    'the password',
    async () =>
      (await world.secret('orders-db'))?.['password'] ===
      world.project.stores.service.get(id)?.password,
  );
});

test('a service that is retained after a DELETE without an answer leaves an event that it may be gone', async () => {
  await using world = await startWorld();
  await world.applyUntilReady(service('orders'));
  world.project.faults.add({ kind: 'dropBefore', operation: 'deleteService' });
  await world.delete('service', 'orders');
  await until('a DELETE', () => world.project.calls.has('deleteService'));
  await world.patch('service', 'orders', { spec: { deletionPolicy: 'Retain' } });
  await world.untilGone('service', 'orders');
  expect(await world.untilEvent('orders', 'Retained')).toContain(
    'unless an earlier DELETE is still carried out',
  );
});

test('an object that is applied again after a create without an answer adopts what that create made, with the key of the operator', async () => {
  await using world = await startWorld();
  world.project.listLagMs = 600_000;
  world.project.faults.add({ kind: 'replyLost', operation: 'createService', times: 1 });
  await world.apply(service('orders'));
  await until('the create', () => world.project.everCreated.length === 1);
  await loseObject(world);
  world.project.listLagMs = 0;
  await world.apply(service('orders'));
  await world.startedOperator();
  const [id = ''] = world.project.everCreated.map((each) => each.id);
  expect(await world.untilReason('service', 'orders', 'NotBound')).toContain(
    'an earlier object may have created',
  );
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'managed-db.io/external-id': id } },
  });
  await world.untilReady('service', 'orders');
  expect([world.project.everCreated.length, (await world.service('orders'))?.status?.id]).toEqual([
    1,
    id,
  ]);
});
