import { expect, test } from 'vitest';
import { annotations } from '../../../src/resources/annotations.ts';
import { force } from '../../../src/simulator/store.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { letPass } from '../../support/let-pass.ts';
import { peering, replicaSet, service, vpc } from '../../support/manifests.ts';
import { readyService } from '../../support/ready-service.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** A resource that looked lost may appear again, and then the operator creates no replacement. (docs/safety.md, Gone) */

/** Until the faults are cleared, the lists and GETs of the cloud hide existing resources. */
async function seemLost(world: World): Promise<void> {
  world.project.faults.add({ kind: 'truncatedList', operation: 'listServices', drop: 1 });
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'getService',
    status: 404,
    body: { message: 'no such service' },
  });
  await world.untilReason('service', 'orders', 'Lost');
}

/** The lost resource appears again. Creates stay refused: a create in flight would make a second resource. */
const seeAgain = (world: World) =>
  world.project.faults.clear('listServices', 'getService', 'listVpcs', 'getVpc');

const allowRecreation = (world: World, id: string) =>
  world.kubectl(['annotate', 'managedservice', 'orders', `managed-db.io/allow-recreate=${id}`]);

test.concurrent('a lost service that is seen again is Ready and can be deleted, although a recreation was refused meanwhile', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await seemLost(world);
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'createService',
    status: 422,
    body: { message: 'quota' },
  });
  await allowRecreation(world, id);
  await world.untilReason('service', 'orders', 'Rejected');
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'managed-db.io/allow-recreate': null } },
  });
  world.project.faults.clear();
  await world.applyUntilReady(service('orders', { environment: 'DEV' }));
  expect((await world.service('orders'))?.status?.id).toBe(id);

  expect(
    await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=20s']),
  ).toMatchObject({ code: 0 });
  expect(world.project.everCreated.map((each) => [each.id, each.deletedAt !== undefined])).toEqual([
    [id, true],
  ]);
  expect(await world.secret('orders-db')).toBeUndefined();
});

test.concurrent('a refused recreation creates no second service once the first is seen again', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await seemLost(world);
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'createService',
    status: 409,
    body: { message: 'quota' },
  });
  await allowRecreation(world, id);
  await until(
    'the refusal',
    async () => (await world.service('orders'))?.status?.refusal !== undefined,
  );
  seeAgain(world);
  await world.untilReady('service', 'orders');
  world.project.faults.clear();
  await letPass(world, 60_000);
  expect([world.project.everCreated.length, (await world.service('orders'))?.status?.id]).toEqual([
    1,
    id,
  ]);
});

test.concurrent('a first service that is seen again while a recreation has no answer stays the only one', async () => {
  await using world = await startWorld({ speed: 120 });
  const id = await readyService(world);
  await seemLost(world);
  world.project.faults.add({ kind: 'dropBefore', operation: 'createService' });
  await allowRecreation(world, id);
  await until('the try', () => callsOf(world, 'createService') === 2);
  seeAgain(world);
  await world.untilReady('service', 'orders');
  world.project.faults.clear();
  await letPass(world, 60_000);
  expect([world.project.everCreated.length, (await world.service('orders'))?.status?.id]).toEqual([
    1,
    id,
  ]);
});

async function refusedTwice(world: World): Promise<string> {
  const id = await readyService(world);
  await seemLost(world);
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'createService',
    status: 409,
    body: { message: 'quota' },
  });
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'managed-db.io/allow-recreate': id } },
  });
  await until('two refusals', () => callsOf(world, 'createService') >= 3);
  seeAgain(world);
  return id;
}

test.concurrent('a recreation that is refused twice does not block itself', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  force(world.project, { kind: 'service', id, status: undefined });
  await world.untilReason('service', 'orders', 'Lost');
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'createService',
    status: 409,
    body: { message: 'later' },
    times: 2,
  });
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'managed-db.io/allow-recreate': id } },
  });
  await until('two refusals', () => callsOf(world, 'createService') >= 3);
  await world.untilReady('service', 'orders');
  expect(world.project.everCreated.length).toBe(2);
});

test.concurrent('a recreation that was refused twice ends once the first service is seen again', async () => {
  await using world = await startWorld();
  const id = await refusedTwice(world);
  await world.untilReady('service', 'orders');
  expect([world.project.everCreated.length, (await world.service('orders'))?.status?.id]).toEqual([
    1,
    id,
  ]);
});

test.concurrent('deleting an object whose recreation was refused twice deletes the first service', async () => {
  await using world = await startWorld();
  const id = await refusedTwice(world);
  expect(
    await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=30s']),
  ).toMatchObject({ code: 0 });
  expect(world.project.everCreated.map((each) => [each.id, each.deletedAt !== undefined])).toEqual([
    [id, true],
  ]);
  expect(await world.secret('orders-db')).toBeUndefined();
});

test.concurrent('a VPC whose recreation was refused twice is the first one once that is seen again', async () => {
  await using world = await startWorld();
  await world.applyUntilReady(vpc('prod'));
  const id = (await world.vpc('prod'))?.status?.id ?? '';
  world.project.faults.add({ kind: 'truncatedList', operation: 'listVpcs', drop: 1 });
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'getVpc',
    status: 404,
    body: { message: 'no' },
  });
  await world.untilReason('vpc', 'prod', 'Lost');
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'createVpc',
    status: 409,
    body: { message: 'quota' },
  });
  await world.patch('vpc', 'prod', {
    metadata: { annotations: { 'managed-db.io/allow-recreate': id } },
  });
  await until('two refusals', () => callsOf(world, 'createVpc') >= 3);
  seeAgain(world);
  await world.untilReady('vpc', 'prod');
  expect([world.project.everCreated.length, (await world.vpc('prod'))?.status?.id]).toEqual([
    1,
    id,
  ]);
});

test.concurrent('a VPC whose recreation failed still knows its own peerings', async () => {
  await using world = await startWorld();
  await world.applyUntilReady(vpc('prod', { peerings: [peering] }));
  const id = (await world.vpc('prod'))?.status?.id ?? '';
  world.project.faults.add({ kind: 'truncatedList', operation: 'listVpcs', drop: 1 });
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'getVpc',
    status: 404,
    body: { message: 'no' },
  });
  await world.untilReason('vpc', 'prod', 'Lost');
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'createVpc',
    status: 409,
    body: { message: 'quota' },
  });
  await world.patch('vpc', 'prod', {
    metadata: { annotations: { 'managed-db.io/allow-recreate': id } },
  });
  await until('two refusals', () => callsOf(world, 'createVpc') >= 3);
  seeAgain(world);
  await world.untilReady('vpc', 'prod');
  await world.apply(vpc('prod'));
  await until('the peering to go', () => callsOf(world, 'deletePeering') === 1);
  await world.untilReady('vpc', 'prod');
  expect((await world.vpc('prod'))?.status?.id).toBe(id);
});

test.concurrent.each([
  ['of our making', {}],
  ['of its own', { name: 'readers' }],
])(
  'a replica set under a name %s that was lost with its service is recreated on the service that replaces it',
  async (_, name) => {
    await using world = await startWorld();
    const id = await readyService(world);
    await world.applyUntilReady(replicaSet('reads', 'orders', name));
    const lost = (await world.replicaSet('reads'))?.status?.id ?? '';
    force(world.project, { kind: 'service', id, status: undefined });
    await world.untilReason('service', 'orders', 'Lost');
    await world.untilReason('replicaSet', 'reads', 'Lost');
    await allowRecreation(world, id);
    await world.untilReady('service', 'orders');
    await world.patch('replicaSet', 'reads', {
      metadata: { annotations: { 'managed-db.io/allow-recreate': lost } },
    });
    await world.untilReady('replicaSet', 'reads');
    const made = await world.replicaSet('reads');
    expect(made?.status?.id).not.toBe(lost);
    const remade = await world.service('orders');
    expect(made?.status?.serviceId).toBe(remade?.status?.id);
    for (const each of [made, remade])
      expect(each?.metadata.annotations).not.toHaveProperty(annotations.allowRecreate);
  },
);

test.concurrent('a lost replica set is recreated on a READY service, and says what it waits for', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await world.applyUntilReady(replicaSet('reads', 'orders'));
  const lost = (await world.replicaSet('reads'))?.status?.id ?? '';
  force(world.project, { kind: 'replicaSet', id: lost, status: undefined });
  await world.untilReason('replicaSet', 'reads', 'Lost');
  force(world.project, { kind: 'service', id, status: 'CONFIGURING' });
  await world.sync('service', 'orders');
  await world.patch('replicaSet', 'reads', {
    metadata: { annotations: { 'managed-db.io/allow-recreate': lost } },
  });
  expect(await world.untilReason('replicaSet', 'reads', 'WaitingForReference')).toContain(
    `service ${id} is CONFIGURING`,
  );
  expect(callsOf(world, 'createReplicaSet')).toBe(1);
  force(world.project, { kind: 'service', id, status: 'READY' });
  await world.untilReady('replicaSet', 'reads');
});

test.concurrent('a lost replica set with permission for a recreation says that its service is gone', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await world.applyUntilReady(replicaSet('reads', 'orders'));
  const lost = (await world.replicaSet('reads'))?.status?.id ?? '';
  force(world.project, { kind: 'service', id, status: undefined });
  await world.untilReason('service', 'orders', 'Lost');
  await world.untilReason('replicaSet', 'reads', 'Lost');
  await world.remove('service', 'orders');
  await world.patch('replicaSet', 'reads', {
    metadata: { annotations: { 'managed-db.io/allow-recreate': lost } },
  });
  expect(await world.untilReason('replicaSet', 'reads', 'WaitingForReference')).toContain(
    '"orders" not found',
  );
});

test.concurrent('a recreation that is given up for another service ends with that service', async () => {
  await using world = await startWorld(sharedProject);
  const id = await readyService(world);
  expect(
    await world.createInCloud('services', { name: 'legacy', cpu_millis: '1000', memory_gbs: '4' }),
  ).toBe(202);
  const legacy = world.project.everCreated.at(-1)?.id ?? '';
  force(world.project, { kind: 'service', id, status: undefined });
  await world.untilReason('service', 'orders', 'Lost');
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'createService',
    status: 422,
    body: { message: 'quota' },
  });
  await allowRecreation(world, id);
  await world.untilReason('service', 'orders', 'Rejected');
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'managed-db.io/external-id': legacy } },
  });
  await world.untilReady('service', 'orders');
  expect((await world.service('orders'))?.status?.id).toBe(legacy);
});
