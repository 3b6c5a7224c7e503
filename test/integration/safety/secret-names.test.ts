import { expect, test } from 'vitest';
import { callsOf } from '../../support/cloud-calls.ts';
import { replicaSet, service } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { readyService } from '../../support/ready-service.ts';
import { refusing } from '../../support/refusing.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** Another name for the connection Secret is a way out as long as there is none, and a name that cannot be one is told before it costs anything. */

const passwordOf = (world: World, id: string) => world.project.stores.service.get(id)?.password;
const storedIn = async (world: World, name: string) => (await world.secret(name))?.['password'];

test('if a policy refuses the name of a Secret, another name works', async () => {
  await using world = await startWorld({ start: false });
  const policy = refusing(({ path, body }) =>
    path.includes('/secrets') && body.includes('"name":"orders-db') ? { code: 422, message: 'names end in -credentials here' } : undefined,
  );
  await world.startedOperator({ intercept: policy });
  await world.apply(service('orders'));
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain('names end in -credentials here');
  await world.applyUntilReady(service('orders', { connectionSecret: { name: 'orders-credentials' } }));
  const { status, metadata } = (await world.service('orders')) ?? {};
  expect([status?.binding?.name, metadata && recordOf(await world.service('orders')).secretName]).toEqual([
    'orders-credentials',
    'orders-credentials',
  ]);
  expect(await storedIn(world, 'orders-credentials')).toBe(passwordOf(world, status?.id ?? ''));
});

test('after a refused create, the Secret has the name in the current spec', async () => {
  await using world = await startWorld();
  world.project.faults.add({ kind: 'errorBefore', operation: 'createService', status: 422, body: { message: 'no' } });
  await world.apply(service('orders', { connectionSecret: { name: 'first' } }));
  await world.untilReason('service', 'orders', 'Rejected');
  world.project.faults.clear();
  const id = await readyService(world, { connectionSecret: { name: 'second' } });
  expect([await storedIn(world, 'second'), await world.secret('first')]).toEqual([passwordOf(world, id), undefined]);
  expect(callsOf(world, 'updateServicePassword')).toBe(0);
});

test('after a refused create, a Secret that took the first name does not matter', async () => {
  await using world = await startWorld();
  world.project.faults.add({ kind: 'errorBefore', operation: 'createService', status: 422, body: { message: 'no' } });
  await world.apply(service('orders'));
  await world.untilReason('service', 'orders', 'Rejected');
  world.project.faults.clear();
  await world.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'orders-db' }, stringData: { theirs: 'x' } });
  const id = await readyService(world, { connectionSecret: { name: 'second' } });
  expect([await storedIn(world, 'second'), await world.secret('orders-db')]).toEqual([passwordOf(world, id), { theirs: 'x' }]);
});

test.each([
  ['that the spec asks for', 'orders', { connectionSecret: { name: 'x'.repeat(250) } }],
  ['that is made of a long name', `o${'x'.repeat(244)}`, {}],
])('a name %s that leaves no room for a pending password is reported before the database is created', async (_what, name, spec) => {
  await using world = await startWorld();
  await world.apply(service(name, spec));
  expect(await world.untilReason('service', name, 'SecretConflict')).toContain('choose another spec.connectionSecret.name');
  expect(world.project.everCreated).toEqual([]);
  await world.applyUntilReady(service(name, { connectionSecret: { name: 'short-db' } }));
});

test('an existing Secret stays in place when the spec asks for an impossible name', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await world.apply(service('orders', { connectionSecret: { name: 'x'.repeat(250) } }));
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain('too long');
  expect(await storedIn(world, 'orders-db')).toBe(passwordOf(world, id));
  await readyService(world);
});

test('a replica set whose Secret is refused under one name gets it under another', async () => {
  await using world = await startWorld({ start: false });
  const policy = refusing(({ path, body }) =>
    path.includes('/secrets') && body.includes('"name":"reads-replicas-db') ? { code: 400, message: 'not under this name' } : undefined,
  );
  await world.startedOperator({ intercept: policy });
  await readyService(world);
  await world.apply(replicaSet('reads', 'orders'));
  expect(await world.untilReason('replicaSet', 'reads', 'SecretConflict')).toContain('not under this name');
  await world.applyUntilReady(replicaSet('reads', 'orders', { connectionSecret: { name: 'reads' } }));
  await until('its password', async () => (await storedIn(world, 'reads')) === (await storedIn(world, 'orders-db')));
});

test.each([
  ['service', service('orders'), 'orders-db', 'createService', 0],
  ['replicaSet', replicaSet('orders', 'parent'), 'orders-replicas-db', 'createReplicaSet', 1],
] as const)(
  'after a create that made nothing, no other %s is created while the name of its Secret is taken',
  async (kind, manifest, name, operation, others) => {
    await using world = await startWorld();
    if (kind === 'replicaSet') await readyService(world, {}, 'parent');
    world.project.faults.add({ kind: 'dropBefore', operation, times: 1 });
    await world.apply(manifest);
    await world.untilReason(kind, 'orders', 'ResolvingCreate');
    await world.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { theirs: 'x' } });
    expect(await world.untilReason(kind, 'orders', 'SecretConflict')).toContain(`Secret "${name}" exists and was not made for this object`);
    expect([world.project.everCreated.length, callsOf(world, operation)]).toEqual([others, 1]);
    await world.kubectl(['delete', 'secret', name]);
    await world.untilReady(kind, 'orders');
    expect(world.project.everCreated.length).toBe(others + 1);
  },
);
