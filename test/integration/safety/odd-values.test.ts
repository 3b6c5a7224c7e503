import { expect, test } from 'vitest';
import { commitsOf } from '../../support/cloud-calls.ts';
import { replicaSet, service, vpc } from '../../support/manifests.ts';
import { managedDb } from '../../support/managed-db.ts';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** An odd value in a list of the cloud concerns only its item. (docs/safety.md, Creating exactly once) */

/** From now on the cloud shows this resource with values that its document does not allow. */
function show({ project: { stores }, clock }: World, id: string, values: object): void {
  const change = <T extends object>(seen: T | undefined) => seen && Object.assign({}, seen, values);
  for (const store of [stores.service, stores.vpc, stores.replicaSet]) store.get(id)?.timeline.plan(clock.now(), [{ afterMs: 0, change }]);
}

async function foreignService(world: World): Promise<string> {
  expect(await world.createInCloud('services', { name: 'theirs', cpu_millis: '1000', memory_gbs: '4' })).toBe(202);
  return world.project.everCreated.at(-1)?.id ?? '';
}

test.concurrent.each([
  ['usage figures', { metrics: { memory_mb: '812', storage_mb: 'n/a' } }],
  ['state', { status: 7 }],
  ['endpoint and size', { endpoint: 'soon', resources: 'large' }],
])('with odd %s of a foreign service, services are created, changed and deleted', async (_what, values) => {
  await using world = await startWorld({ speed: 20 });
  await readyService(world, {}, 'old');
  await readyService(world);
  show(world, await foreignService(world), values);
  await world.apply(service('new', { name: 'new' }));
  await world.patch('service', 'orders', { spec: { cpuMillis: 2000, memoryGbs: 8 } });
  await world.delete('service', 'old');
  await world.untilReady('service', 'new');
  await until('the resize', () => commitsOf(world, 'resizeService') === 1);
  await world.untilGone('service', 'old');
});

test.concurrent('a service with an odd state reports its id and the field, and continues once the cloud shows its state', async () => {
  await using world = await startWorld({ speed: 20 });
  const id = await readyService(world);
  show(world, id, { status: 7 });
  await world.patch('service', 'orders', { spec: { cpuMillis: 2000, memoryGbs: 8 } });
  const message = await world.untilReason('service', 'orders', 'UnexpectedReply');
  expect(message).toBe(`the cloud's reply could not be understood (status of ${id}: expected string); the operator retries`);
  expect(commitsOf(world, 'resizeService')).toBe(0);
  const { code, stdout } = await managedDb(world, ['check']);
  expect(code).toBe(1);
  expect(stdout).toMatch(new RegExp(`listServices +differs +1 services, but status of ${id}: expected string`, 'u'));
  show(world, id, { status: 'READY' });
  await world.untilReady('service', 'orders');
  await until('the resize', () => commitsOf(world, 'resizeService') === 1);
});

test.concurrent('a service that cannot be read holds its VPC, and a replica set that cannot be read holds its service', async () => {
  await using world = await startWorld({ speed: 20 });
  await world.apply(vpc('prod'), service('orders', { vpcRef: { name: 'prod' } }), replicaSet('reads', 'orders'));
  await world.untilReady('replicaSet', 'reads');
  const setId = (await world.replicaSet('reads'))?.status?.id ?? '';
  show(world, setId, { nodes: 'two' });
  await world.delete('service', 'orders');
  expect(await world.untilReason('service', 'orders', 'DeletionBlocked')).toContain('1 replica set');
  show(world, (await world.service('orders'))?.status?.id ?? '', { status: {} });
  await world.delete('vpc', 'prod');
  expect(await world.untilReason('vpc', 'prod', 'DeletionBlocked')).toContain('1 attached service');
  expect([commitsOf(world, 'deleteService'), commitsOf(world, 'deleteVpc')]).toEqual([0, 0]);
});

test.concurrent('a service whose create is answered with odd values has its id and its first password', async () => {
  await using world = await startWorld({ speed: 20 });
  const unusual = { endpoint: 'soon', metrics: { memory_mb: 'x' }, ha_replicas: 1 };
  await world.applyUntilReady(service('first'));
  const odd = until('the service', () => world.project.everCreated[1]?.id).then((id) => show(world, id, unusual));
  await world.apply(service('orders', { name: 'orders' }));
  await odd;
  const id = world.project.everCreated[1]?.id ?? '';
  expect(await world.untilReason('service', 'orders', 'UnexpectedReply')).toContain(` of ${id}: expected object`);
  show(world, id, { endpoint: { host: 'h', port: 5432 }, metrics: undefined, ha_replicas: undefined });
  await world.untilReady('service', 'orders');
  expect([world.project.everCreated.length, commitsOf(world, 'updateServicePassword')]).toEqual([2, 0]);
});
