import { test } from 'vitest';
import { fork, replicaSet, service, vpc } from '../../support/manifests.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** The fields that are fixed at creation: the request to the cloud, and the message about a refusal. */

const refuse = (world: World, operation: string, status: number) =>
  world.project.faults.add({
    kind: 'errorBefore',
    operation,
    status,
    body: { message: 'not like this' },
  });

const said = (what: string) =>
  `the cloud refused to ${what}: "not like this"; change the spec, or raise your quota; tried again at `;

const inCloud = async (world: World, name: string) => {
  const id = (await world.service(name))?.status?.id ?? '';
  return world.project.stores.service.get(id)?.timeline.at(world.clock.now());
};

test.concurrent('name, regionCode, addons, cidr and nodes are sent to the cloud as they are', async ({
  expect,
}) => {
  await using world = await startWorld();
  await world.apply(
    vpc('prod', { name: 'net', cidr: '10.7.0.0/16', regionCode: 'us-east-1' }),
    service('orders', { name: 'shop', regionCode: 'us-east-1', addons: ['time-series'] }),
    replicaSet('reads', 'orders', { name: 'shop-reads', nodes: 3 }),
  );
  await world.untilReady('vpc', 'prod');
  await world.untilReady('replicaSet', 'reads');
  expect((await world.vpc('prod'))?.status?.vpc).toEqual({
    name: 'net',
    cidr: '10.7.0.0/16',
    regionCode: 'us-east-1',
  });
  expect(await inCloud(world, 'orders')).toMatchObject({
    name: 'shop',
    region_code: 'us-east-1',
    service_type: 'TIMESERIESDB',
  });
  expect((await world.replicaSet('reads'))?.status?.replicaSet).toMatchObject({
    name: 'shop-reads',
    nodes: 3,
  });
});

test.concurrent('a refused create is shown; an object that cannot be corrected is deleted without a trace', async ({
  expect,
}) => {
  await using world = await startWorld();
  await world.applyUntilReady(service('parent'));
  for (const operation of ['createVpc', 'createService', 'forkService', 'createReplicaSet'])
    refuse(world, operation, 422);
  await world.apply(
    vpc('prod', { name: 'net' }),
    service('orders', { name: 'shop', regionCode: 'mars-north-1', addons: ['ai'] }),
    fork('drill', 'parent'),
    replicaSet('reads', 'parent', { name: 'reads' }),
  );
  expect(await world.untilReason('vpc', 'prod', 'Rejected')).toContain(said('create the VPC'));
  expect(await world.untilReason('service', 'orders', 'Rejected')).toContain(
    said('create the service'),
  );
  expect(await world.untilReason('service', 'drill', 'Rejected')).toContain(
    said('fork the service'),
  );
  expect(await world.untilReason('replicaSet', 'reads', 'Rejected')).toContain(
    said('create the replica set'),
  );
  await world.kubectl([
    'delete',
    '--timeout=20s',
    'mvpc/prod',
    'msvc/orders',
    'msvc/drill',
    'rrset/reads',
  ]);
  await world.untilGone('vpc', 'prod');
  await world.untilGone('replicaSet', 'reads');
  expect(world.project.everCreated.map(({ kind }) => kind)).toEqual(['service']);
  expect([await world.secret('orders-db'), await world.secret('reads-replicas-db')]).toEqual([
    undefined,
    undefined,
  ]);
});

test.concurrent('a refused create is retried at once when the spec changes', async ({ expect }) => {
  await using world = await startWorld();
  refuse(world, 'createService', 400);
  await world.apply(service('orders', { cpuMillis: 3000 }));
  await world.untilReason('service', 'orders', 'Rejected');
  world.project.faults.clear();
  const changedAt = world.clock.now();
  await world.applyUntilReady(service('orders', { cpuMillis: 2000, memoryGbs: 8 }));
  expect(world.clock.now() - changedAt).toBeLessThan(600_000);
  expect(await inCloud(world, 'orders')).toMatchObject({
    resources: [{ spec: { cpu_millis: 2000, memory_gbs: 8 } }],
  });
});

test.concurrent('a fork copies the named service and time, and waits for a parent that does not exist yet', async ({
  expect,
}) => {
  await using world = await startWorld(sharedProject);
  await world.apply(fork('drill', 'orders'));
  expect(await world.untilReason('service', 'drill', 'WaitingForReference')).toContain(
    'spec.fork.serviceRef "orders" not found',
  );
  await world.applyUntilReady(service('orders'));
  const serviceId = (await world.service('orders'))?.status?.id;
  const pitr = { serviceId, strategy: 'PITR', targetTime: '2026-11-21T09:30:00Z' };
  await world.apply(
    { ...service('past'), spec: { fork: pitr } },
    { ...service('none'), spec: { fork: { ...pitr, serviceId: 'k2m9q1zx4w' } } },
  );
  for (const name of ['drill', 'past']) {
    await world.untilReady('service', name);
    expect(await inCloud(world, name)).toMatchObject({ forked_from: { service_id: serviceId } });
  }
  expect(await world.untilReason('service', 'none', 'WaitingForReference')).toContain(
    'k2m9q1zx4w is not seen yet',
  );
  expect(world.project.commits.get('forkService')).toBe(2);
});

test.concurrent("fork.serviceId: with the operator's own key it is not allowed, and no fork is made", async ({
  expect,
}) => {
  await using world = await startWorld();
  await world.applyUntilReady(service('orders'));
  const serviceId = (await world.service('orders'))?.status?.id;
  await world.apply({ ...service('drill'), spec: { fork: { serviceId, strategy: 'NOW' } } });
  await world.apply(replicaSet('reads', '', { serviceRef: undefined, serviceId }));
  expect(await world.untilReason('service', 'drill', 'NotAllowed')).toContain(
    'use fork.serviceRef, or set spec.credentialsRef',
  );
  expect(await world.untilReason('replicaSet', 'reads', 'NotAllowed')).toContain(
    'use serviceRef, or set spec.credentialsRef',
  );
  expect([
    world.project.calls.get('forkService'),
    world.project.calls.get('createReplicaSet'),
  ]).toEqual([undefined, undefined]);
});

test.concurrent('regionCode: the region that the cloud chose can be added later, without a call', async ({
  expect,
}) => {
  await using world = await startWorld();
  await world.applyUntilReady(service('orders'));
  const before = JSON.stringify([...world.project.commits]);
  const regionCode = (await world.service('orders'))?.status?.service?.regionCode;
  await world.apply(service('orders', { regionCode }));
  await until(
    'the new generation',
    async () => (await world.service('orders'))?.status?.observedGeneration === 2,
  );
  await world.untilReady('service', 'orders');
  expect(JSON.stringify([...world.project.commits])).toBe(before);
});
