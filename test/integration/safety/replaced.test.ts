import { expect, test } from 'vitest';
import { cloudResourceFinalizer } from '../../../src/resources/annotations.ts';
import { letPass } from '../../support/let-pass.ts';
import { fork, peering, replicaSet, service, vpc } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { commitsOf } from '../../support/cloud-calls.ts';
import { shiftedDate } from '../../support/shifted-date.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { readyService } from '../../support/ready-service.ts';
import { replace } from '../../support/replace.ts';
import { until } from '../../support/until.ts';
import { whileStopped } from '../../support/while-stopped.ts';
import { startWorld, type World, type WorldKind } from '../../support/world.ts';

/** `kubectl replace` takes every annotation and finalizer away. What an object knows of the cloud does not go with them. (docs/safety.md, What an object knows) */

test.each([
  ['vpc', vpc('orders'), 'createVpc'],
  ['service', service('orders'), 'createService'],
  ['replicaSet', replicaSet('orders', 'parent'), 'createReplicaSet'],
] as const)('a %s that is replaced while its create is answered keeps the id in the answer', async (kind, manifest, operation) => {
  await using world = await startWorld();
  if (kind === 'replicaSet') await readyService(world, {}, 'parent');
  const others = world.project.everCreated.length;
  world.project.faults.add({ kind: 'delayReply', operation, delayMs: 2_000, times: 1 });
  await world.apply(manifest);
  await until('the create', () => world.project.everCreated.length === others + 1);
  await replace(world, manifest);
  await world.untilReady(kind, 'orders');
  expect([world.project.everCreated.length, (await world[kind]('orders'))?.status?.id]).toEqual([
    others + 1,
    world.project.everCreated.at(-1)?.id,
  ]);
  // The answer itself was recorded. Whoever has to look for the resource has lost its password, and under a chosen name must ask.
  expect(world.log.filter((line) => line.includes('had been created as'))).toEqual([]);
  await world.remove(kind, 'orders');
  expect(world.project.everCreated.at(-1)?.deletedAt).toBeDefined();
});

test('a VPC that is replaced while its request for a peering is answered keeps the id in the answer', async () => {
  await using world = await startWorld();
  const manifest = vpc('orders', { peerings: [peering] });
  world.project.faults.add({ kind: 'delayReply', operation: 'createPeering', delayMs: 2_000, times: 1 });
  await world.apply(manifest);
  await until('the peering', () => world.project.everCreated.length === 2);
  await replace(world, manifest);
  await world.untilReady('vpc', 'orders');
  expect(Object.values(recordOf(await world.vpc('orders')).peerings ?? {})).toEqual([{ id: world.project.everCreated.at(-1)?.id }]);
  expect(world.log.filter((line) => line.includes('had been created as'))).toEqual([]);
});

test('a suspended object that is replaced gets record and finalizer back, so that its deletion waits', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const manifest = service('orders', { suspend: true });
  await world.apply(manifest);
  await world.untilReason('service', 'orders', 'Suspended');
  await replace(world, { ...manifest, metadata: { ...manifest.metadata, finalizers: [] } });
  await until('record and finalizer', async () => {
    const object = await world.service('orders');
    return recordOf(object).id === id && object?.metadata.finalizers?.includes(cloudResourceFinalizer) === true;
  });
  await world.kubectl(['delete', '--wait=false', 'managedservice', 'orders']);
  expect(await world.untilReason('service', 'orders', 'DeletionBlocked')).toContain('spec.suspend is true');
  expect(world.project.everCreated[0]?.deletedAt).toBeUndefined();
});

const ofKinds = [
  ['vpc', vpc('orders')],
  ['service', service('orders')],
  ['replicaSet', replicaSet('orders', 'parent')],
] as const;

/** An object that is ready, and no operator runs. */
async function readyAndAlone(world: World, kind: WorldKind, manifest: ReturnType<typeof vpc | typeof service | typeof replicaSet>) {
  if (kind === 'replicaSet') await readyService(world, {}, 'parent');
  await world.applyUntilReady(manifest);
  await world.stopOperators();
}

const typed = (world: World, command: 'replace' | 'delete', manifest: object) =>
  world.kubectl([command, ...(command === 'delete' ? ['--wait=false'] : []), '-f', '-'], JSON.stringify(manifest));

test.each(ofKinds)(
  'a %s that is replaced while it is being deleted stays until its resource is gone from the cloud',
  async (kind, manifest) => {
    await using world = await startWorld();
    await readyAndAlone(world, kind, manifest);
    expect(await typed(world, 'delete', manifest)).toMatchObject({ code: 0 });
    expect((await typed(world, 'replace', manifest)).stderr).toContain('keep the finalizer');
    await world.startedOperator();
    await world.untilGone(kind, 'orders');
    expect(world.project.everCreated.at(-1)?.deletedAt).toBeDefined();
  },
);

test.each(ofKinds)('a %s that is replaced and deleted at once stays until its resource is gone from the cloud', async (kind, manifest) => {
  await using world = await startWorld();
  await readyAndAlone(world, kind, manifest);
  expect(await typed(world, 'replace', manifest)).toMatchObject({ code: 0 });
  expect((await typed(world, 'delete', manifest)).stderr).toContain('try again in a moment');
  await world.startedOperator();
  await until('the deletion to be accepted', async () => (await typed(world, 'delete', manifest)).code === 0);
  await world.untilGone(kind, 'orders');
  expect(world.project.everCreated.at(-1)?.deletedAt).toBeDefined();
});

test('a namespace that is deleted right after a replace goes with its services, once an operator runs', async () => {
  await using world = await startWorld();
  await readyAndAlone(world, 'service', service('orders'));
  expect(await typed(world, 'replace', service('orders'))).toMatchObject({ code: 0 });
  await world.kubectl(['delete', 'namespace', world.namespace, '--wait=false']);
  const refused = ['wait', '--for=condition=NamespaceDeletionContentFailure', `namespace/${world.namespace}`, '--timeout=20s'];
  expect(await world.kubectl(refused)).toMatchObject({ code: 0 });
  await world.startedOperator();
  await world.untilGone('service', 'orders');
  expect(world.project.everCreated[0]?.deletedAt).toBeDefined();
  expect(await world.kubectl(['wait', '--for=delete', `namespace/${world.namespace}`, '--timeout=60s'])).toMatchObject({ code: 0 });
});

/** Applies an object whose create is not answered, and takes its record away before any list can be read. */
async function replaceUnanswered(world: World, kind: WorldKind, manifest: object, operation: string, list: string): Promise<void> {
  const others = world.project.everCreated.length;
  world.project.faults.add({ kind: 'replyLost', operation, times: 1 });
  world.project.faults.add({ kind: 'errorBefore', operation: list, status: 503 });
  await world.apply(manifest);
  await until('the create', () => world.project.everCreated.length === others + 1);
  await world.untilReason(kind, 'orders', 'ResolvingCreate');
  await replace(world, manifest);
  await until('the record', async () => recordOf(await world[kind]('orders')).attempt !== undefined);
}

test.each([
  ['VPC', 'vpc', vpc('orders'), 'createVpc', 'listVpcs', 0],
  ['service', 'service', service('orders'), 'createService', 'listServices', 0],
  ['fork', 'service', fork('orders', 'parent'), 'forkService', 'listServices', 1],
  ['replica set', 'replicaSet', replicaSet('orders', 'parent'), 'createReplicaSet', 'listServices', 1],
] as const)(
  'a %s that is replaced while its create has no answer is not created twice',
  async (_, kind, manifest, operation, list, parents) => {
    await using world = await startWorld();
    if (parents > 0) await readyService(world, {}, 'parent');
    await replaceUnanswered(world, kind, manifest, operation, list);
    world.project.faults.clear();
    await world.untilReady(kind, 'orders');
    expect(world.project.everCreated.length).toBe(parents + 1);
  },
);

test.each([
  ['', 0],
  [' though the clock of the cloud was an hour ahead then', 3_600_000],
])('an older record that replaces that of an open create does not hide the create%s', async (_, aheadMs) => {
  await using world = await startWorld({ start: false });
  const cloud = shiftedDate(world.simulator.url);
  await world.startOperator({ intercept: cloud.intercept });
  cloud.aheadMs = aheadMs;
  world.project.faults.add({ kind: 'errorBefore', operation: 'createVpc', status: 422, body: { message: 'quota' }, times: 1 });
  await world.apply(vpc('orders'));
  await world.untilReason('vpc', 'orders', 'Rejected');
  cloud.aheadMs = 0;
  // Its time is that of the cloud's last answer.
  await letPass(world, 70_000);
  const refused = await world.vpc('orders');
  const old = refused?.metadata.annotations?.['managed-db.io/record'] ?? '';
  world.project.faults.add({ kind: 'replyLost', operation: 'createVpc', times: 1 });
  world.project.faults.add({ kind: 'errorBefore', operation: 'listVpcs', status: 503 });
  await world.apply(vpc('orders', { deletionProtection: false }));
  await until('the create', () => world.project.everCreated.length === 1);
  await world.kubectl(['annotate', '--overwrite', 'managedvpc', 'orders', `managed-db.io/record=${old}`]);
  await until('the newer record', async () => recordOf(await world.vpc('orders')).attempt?.id !== recordOf(refused).attempt?.id);
  world.project.faults.clear();
  await world.untilReady('vpc', 'orders');
  expect([world.project.everCreated.length, recordOf(await world.vpc('orders')).creates]).toEqual([1, 2]);
});

test('an unanswered peering is not requested twice after its VPC object is replaced', async () => {
  await using world = await startWorld();
  await world.applyUntilReady(vpc('prod'));
  world.project.faults.add({ kind: 'replyLost', operation: 'createPeering', times: 1 });
  await world.apply(vpc('prod', { peerings: [peering] }));
  await until('the peering', () => world.project.everCreated.length === 2);
  world.project.faults.add({ kind: 'errorBefore', operation: 'listPeerings', status: 503, times: 20 });
  await replace(world, vpc('prod', { peerings: [peering] }));
  await world.untilReady('vpc', 'prod');
  expect(world.project.everCreated.length).toBe(2);
  await world.apply(vpc('prod'));
  await until('the peering to go', () => world.project.everCreated.at(-1)?.deletedAt !== undefined);
});

test.each([
  ['while the operator runs', (_world: World, act: () => Promise<void>) => act()],
  ['while none runs', whileStopped],
])('a peering or VPC that the replacing manifest of a %s no longer names is deleted or detached', async (_, during) => {
  await using world = await startWorld();
  await world.apply(vpc('prod', { peerings: [peering] }), service('orders', { vpcRef: { name: 'prod' } }));
  await world.untilReady('vpc', 'prod');
  await world.untilReady('service', 'orders');
  await until('the attachment', async () => (await world.service('orders'))?.status?.vpcId !== undefined);
  await during(world, async () => {
    await replace(world, vpc('prod'));
    await replace(world, service('orders'));
  });
  await until('the peering to go', () => world.project.commits.get('deletePeering') === 1);
  await until('the service to be detached', () => world.project.commits.get('detachServiceFromVpc') === 1);
  await world.untilReady('vpc', 'prod');
  await world.untilReady('service', 'orders');
  expect((await world.service('orders'))?.status).toMatchObject({ id: recordOf(await world.service('orders')).id });
});

test('a restored record of a refused create makes no second VPC if one exists', async () => {
  await using world = await startWorld();
  world.project.faults.add({ kind: 'errorBefore', operation: 'createVpc', status: 422, body: { message: 'quota' }, times: 1 });
  await world.apply(vpc('prod'));
  await world.untilReason('vpc', 'prod', 'Rejected');
  const old = (await world.vpc('prod'))?.metadata.annotations?.['managed-db.io/record'] ?? '';
  await world.applyUntilReady(vpc('prod', { deletionProtection: false }));
  const { id } = recordOf(await world.vpc('prod'));
  await world.kubectl(['annotate', '--overwrite', 'managedvpc', 'prod', `managed-db.io/record=${old}`]);
  await until('the record', async () => recordOf(await world.vpc('prod')).id !== undefined);
  await world.untilReady('vpc', 'prod');
  expect([world.project.everCreated.length, recordOf(await world.vpc('prod')).id]).toEqual([1, id]);
});

test('a restored record of a refused create leaves no service behind', async () => {
  await using world = await startWorld();
  world.project.faults.add({ kind: 'errorBefore', operation: 'createService', status: 422, body: { message: 'quota' }, times: 1 });
  await world.apply(service('orders'));
  await world.untilReason('service', 'orders', 'Rejected');
  const old = (await world.service('orders'))?.metadata.annotations?.['managed-db.io/record'] ?? '';
  await world.applyUntilReady(service('orders', { environment: 'DEV' }));
  await world.stopOperators();
  await world.kubectl(['annotate', '--overwrite', 'managedservice', 'orders', `managed-db.io/record=${old}`]);
  await world.startOperator();
  expect(await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=30s'])).toMatchObject({ code: 0 });
  expect(world.project.everCreated.map(({ deletedAt }) => deletedAt !== undefined)).toEqual([true]);
});

test('a service that is replaced keeps its password, and another Secret name in the new manifest gets it', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const manifest = service('orders', { connectionSecret: { name: 'new-db' } });
  await whileStopped(world, () => replace(world, manifest));
  await until('the record', async () => recordOf(await world.service('orders')).id === id);
  await world.untilReady('service', 'orders');
  expect([
    await world.secret('orders-db'),
    (await world.secret('new-db'))?.['password'],
    commitsOf(world, 'updateServicePassword'),
  ]).toEqual([undefined, world.project.stores.service.get(id)?.password, 0]);
});

test.each([
  ['a spec that requests nothing', {}],
  ['a rotation text from before the adoption', { password: { rotation: 'once' } }],
])('an adopted service with %s keeps its password when its record is lost', async (_sentence, spec) => {
  await using world = await startWorld(sharedProject);
  await world.createInCloud('services', { name: 'legacy' });
  const id = world.project.everCreated[0]?.id ?? '';
  const manifest = { ...service('orders', {}, { 'managed-db.io/external-id': id }), spec };
  await world.apply(manifest);
  await world.untilReady('service', 'orders');
  await whileStopped(world, () => replace(world, manifest));
  await until('the record', async () => recordOf(await world.service('orders')).id === id);
  await world.untilReady('service', 'orders');
  await world.sync('service', 'orders');
  expect([commitsOf(world, 'updateServicePassword'), (await world.entry('orders'))?.content?.outcome]).toEqual([0, 'adopted']);
});
