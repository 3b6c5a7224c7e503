import { expect, test } from 'vitest';
import { replicaSet, service, vpc } from '../../support/manifests.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

const take = (id: string) => ({ 'managed-db.io/external-id': id });

/** Something that was made without us. @returns its id */
async function existing(world: World, path: string, body: object): Promise<string> {
  const status = await world.createInCloud(path, body);
  expect(status).toBeLessThan(300);
  return world.project.everCreated.at(-1)?.id ?? '';
}

const existingService = (world: World) =>
  existing(world, 'services', { name: 'legacy', cpu_millis: '2000', memory_gbs: '8' });

test('an adopted service is not changed, and its password least of all', async () => {
  await using world = await startWorld(sharedProject);
  const id = await existingService(world);
  const password = world.project.stores.service.get(id)?.password;
  await world.apply({ ...service('orders', {}, take(id)), spec: {} });
  await world.untilReady('service', 'orders');
  const orders = await world.service('orders');
  expect(orders?.status).toMatchObject({ id, size: '2000m/8GB' });
  expect(await world.untilReason('service', 'orders', 'Available')).toContain(
    'set spec.password.rotation',
  );
  expect(await world.secret('orders-db')).not.toHaveProperty('password');
  expect(world.project.stores.service.get(id)?.password).toBe(password);
  expect([...world.project.commits.keys()]).toEqual(['createService']);
});

test('after an adoption, a password in the spec is set, but an existing rotation text is not executed', async () => {
  await using world = await startWorld(sharedProject);
  const id = await existingService(world);
  const before = world.project.stores.service.get(id)?.password;
  await world.apply({
    ...service('orders', {}, take(id)),
    spec: { password: { rotation: 'old' } },
  });
  await world.untilReady('service', 'orders');
  expect(world.project.stores.service.get(id)?.password).toBe(before);
  await world.apply({
    ...service('orders', {}, take(id)),
    spec: { password: { rotation: 'new' } },
  });
  await until(
    'a password',
    async () => (await world.secret('orders-db'))?.['password'] !== undefined,
    () => world.service('orders'),
  );
  await world.untilReady('service', 'orders');
  expect((await world.secret('orders-db'))?.['password']).toBe(
    world.project.stores.service.get(id)?.password,
  );
  expect(world.project.commits.get('updateServicePassword')).toBe(1);
});

test('an object that adopts a retained service under another name executes no rotation text, and both Secrets have the password', async () => {
  await using world = await startWorld(sharedProject);
  await world.applyUntilReady(
    service('before', { deletionPolicy: 'Retain', password: { rotation: 'one' } }),
  );
  const id = world.project.everCreated[0]?.id ?? '';
  const password = world.project.stores.service.get(id)?.password;
  await world.remove('service', 'before');
  await world.applyUntilReady(service('after', { password: { rotation: 'two' } }, take(id)));
  await world.sync('service', 'after');
  expect(world.project.calls.get('updateServicePassword')).toBeUndefined();
  expect([
    (await world.secret('before-db'))?.['password'],
    (await world.secret('after-db'))?.['password'],
  ]).toEqual([password, password]);
  await world.patch('service', 'after', { spec: { password: { rotation: 'three' } } });
  await until(
    'the end of the outdated Secret',
    async () => (await world.secret('before-db')) === undefined,
  );
  await until('an event', async () =>
    (await world.untilEvent('after', 'RotatingPassword')).includes('use Secret "after-db"'),
  );
  expect((await world.secret('after-db'))?.['password']).toBe(
    world.project.stores.service.get(id)?.password,
  );
});

test('the first rotation text that is set after an adoption sets a password', async () => {
  await using world = await startWorld(sharedProject);
  const id = await existingService(world);
  await world.apply({ ...service('orders', {}, take(id)), spec: {} });
  await world.untilReady('service', 'orders');
  await world.sync('service', 'orders');
  expect(world.project.calls.get('updateServicePassword')).toBeUndefined();
  await world.apply({
    ...service('orders', {}, take(id)),
    spec: { password: { rotation: 'first' } },
  });
  await until(
    'a password',
    async () => (await world.secret('orders-db'))?.['password'] !== undefined,
    () => world.service('orders'),
  );
  expect((await world.secret('orders-db'))?.['password']).toBe(
    world.project.stores.service.get(id)?.password,
  );
});

test('a VPC and a replica set can be adopted, and an adopted resource is deleted with its object', async () => {
  await using world = await startWorld(sharedProject);
  const vpcId = await existing(world, 'vpcs', {
    name: 'old',
    cidr: '10.0.0.0/16',
    region_code: 'eu-central-1',
  });
  await world.apply(vpc('prod', {}, take(vpcId)), service('orders'));
  await world.untilReady('service', 'orders');
  const parent = (await world.service('orders'))?.status?.id ?? '';
  const setId = await existing(world, `services/${parent}/replicaSets`, {
    name: 'old',
    nodes: 2,
    cpu_millis: 1000,
    memory_gbs: 4,
  });
  await world.apply(replicaSet('reads', 'orders', {}, take(setId)));
  await world.untilReady('vpc', 'prod');
  await world.untilReady('replicaSet', 'reads');
  expect((await world.replicaSet('reads'))?.status?.id).toBe(setId);
  await world.delete('vpc', 'prod');
  await world.delete('replicaSet', 'reads');
  await world.untilGone('replicaSet', 'reads');
  await world.untilGone('vpc', 'prod');
  expect([
    world.project.commits.get('createVpc'),
    world.project.commits.get('createReplicaSet'),
  ]).toEqual([1, 1]);
});

test('an absent resource, one of another kind, and one of another owner are not adopted', async () => {
  await using world = await startWorld(sharedProject);
  const id = await existingService(world);
  const vpcId = await existing(world, 'vpcs', {
    name: 'old',
    cidr: '10.9.0.0/16',
    region_code: 'eu-central-1',
  });
  await world.apply(
    service('nothing', {}, take('k2m9q1zx4w')),
    { ...service('first', {}, take(id)), spec: {} },
    service('named', { name: 'other', regionCode: 'eu-central-1' }, take(id)),
    vpc('prod', {}, take(vpcId)),
  );
  expect(await world.untilReason('service', 'nothing', 'AdoptionFailed')).toContain(
    'there is no service k2m9q1zx4w in project',
  );
  expect(await world.untilReason('vpc', 'prod', 'AdoptionFailed')).toContain(
    'spec.cidr (wanted 10.0.0.0/16, is 10.9.0.0/16)',
  );
  await world.untilReady('service', 'first');
  await world.apply({ ...service('second', {}, take(id)), spec: {} });
  expect(await world.untilReason('service', 'second', 'OwnedByAnother')).toContain(
    'ManagedService first',
  );
  await world.kubectl(['delete', 'managedservice', 'second', 'nothing', '--timeout=20s']);
  expect(world.project.calls.get('deleteService')).toBeUndefined();
  expect(world.project.everCreated.length).toBe(2);
});

test("with the operator's own key nothing is adopted unless a setting allows it", async () => {
  await using world = await startWorld();
  const id = await existingService(world);
  await world.apply({ ...service('orders', {}, take(id)), spec: {} });
  expect(await world.untilReason('service', 'orders', 'NotAllowed')).toContain(
    'spec.credentialsRef',
  );
});

test('an external id on an object with a resource is reported, and has no effect', async () => {
  await using world = await startWorld(sharedProject);
  const other = await existingService(world);
  await world.applyUntilReady(service('orders'));
  const id = (await world.service('orders'))?.status?.id;
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'managed-db.io/external-id': other } },
  });
  await until('an event', async () =>
    (await world.kubectl(['get', 'events'])).stdout.includes(`${other} has no effect`),
  );
  expect((await world.service('orders'))?.status?.id).toBe(id);
});

test('under Observe, an adopted resource is reported, not changed and not deleted', async () => {
  await using world = await startWorld(sharedProject);
  const id = await existingService(world);
  await world.apply({
    ...service('orders', {}, take(id)),
    spec: { managementPolicy: 'Observe', cpuMillis: 4000, memoryGbs: 16 },
  });
  await world.untilReason('service', 'orders', 'Observed');
  await world.kubectl(['wait', 'managedservice/orders', '--for=condition=Ready', '--timeout=20s']);
  expect((await world.service('orders'))?.status).toMatchObject({
    id,
    size: '2000m/8GB',
    onDelete: 'Retain',
  });
  await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=20s']);
  await world.untilGone('service', 'orders');
  expect([...world.project.commits.keys()]).toEqual(['createService']);
});
