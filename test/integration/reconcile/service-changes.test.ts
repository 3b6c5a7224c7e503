import { expect, test } from 'vitest';
import { force } from '../../../src/simulator/store.ts';
import { commitsOf } from '../../support/cloud-calls.ts';
import { service, vpc } from '../../support/manifests.ts';
import { serviceChanges as changes } from '../../support/service-values.ts';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

const inCloud = (world: World, id: string) =>
  world.project.stores.service.get(id)?.timeline.at(world.clock.now());

test.concurrent.each(changes)(
  '$field: a new value is requested once, and then shown',
  async ({ spec, operation, inCloud: wanted }) => {
    await using world = await startWorld();
    const id = await readyService(world);
    await world.apply(service('orders', spec));
    await until(
      'the change',
      () => commitsOf(world, operation) === 1,
      () => world.service('orders'),
    );
    await world.untilReady('service', 'orders');
    await expect.poll(() => inCloud(world, id), { timeout: 20_000 }).toMatchObject(wanted);
    expect(commitsOf(world, operation)).toBe(1);
  },
);

/** The fields share this code, and the tables of test/unit/reconcile/decide have a row for each field. */
const some = changes.slice(0, 2);

test.concurrent.each(some)(
  '$field: removed from the spec, the value stays',
  async ({ spec, inCloud: wanted }) => {
    await using world = await startWorld();
    const id = await readyService(world, spec);
    const before = JSON.stringify([...world.project.commits]);
    await world.apply({ ...service('orders'), spec: { deletionProtection: false } });
    await until(
      'the new generation',
      async () => (await world.service('orders'))?.status?.observedGeneration === 2,
    );
    await world.untilReady('service', 'orders');
    await expect.poll(() => inCloud(world, id), { timeout: 20_000 }).toMatchObject(wanted);
    expect(JSON.stringify([...world.project.commits])).toBe(before);
  },
);

test.concurrent.each(some)(
  "$field: a refusal shows the cloud's message, is repeated only on request, and ends with the next spec",
  async ({ spec, operation, toChange }) => {
    await using world = await startWorld();
    await readyService(world);
    world.project.faults.add({
      kind: 'errorBefore',
      operation,
      status: 422,
      body: { message: 'not like this' },
    });
    await world.apply(service('orders', spec));
    const told = await world.untilReason('service', 'orders', 'Rejected');
    expect(told).toMatch(/^the cloud refused to .*: "not like this"; /u);
    expect(
      told.replace(/; tried again at \d\d:\d\d UTC$/u, '').endsWith(`; change ${toChange}`),
    ).toBe(true);
    const calls = world.project.calls.get(operation);
    await world.patch('service', 'orders', {
      metadata: { annotations: { 'reconcile.managed-db.io/requestedAt': 'now' } },
    });
    await until(
      'the answer',
      async () => (await world.service('orders'))?.status?.lastHandledReconcileAt === 'now',
    );
    expect(world.project.calls.get(operation)).toBe((calls ?? 0) + 1);
    world.project.faults.clear();
    await world.applyUntilReady(service('orders', { powerState: 'Running' }));
  },
);

test.concurrent.each(some)(
  '$field: a change that the cloud accepts but does not make is not repeated',
  async ({ spec, operation }) => {
    await using world = await startWorld();
    await readyService(world);
    world.project.faults.add({ kind: 'ignored', operation });
    await world.apply(service('orders', spec));
    expect(await world.untilReason('service', 'orders', 'NotApplied')).toContain(
      'the operator retries when the spec or the cloud changes',
    );
    await world.patch('service', 'orders', {
      metadata: { annotations: { 'reconcile.managed-db.io/requestedAt': 'now' } },
    });
    await until(
      'the answer',
      async () => (await world.service('orders'))?.status?.lastHandledReconcileAt === 'now',
    );
    expect(world.project.calls.get(operation)).toBe(1);
    world.project.faults.clear();
    await world.applyUntilReady(service('orders', { ...spec, powerState: 'Running' }));
  },
);

test.concurrent('several changes are made one at a time, and the message lists the next changes', async () => {
  await using world = await startWorld({ latencyMs: 20_000 });
  await readyService(world);
  await world.apply(
    service('orders', {
      cpuMillis: 2000,
      memoryGbs: 8,
      highAvailability: { replicaCount: 1 },
      connectionPooler: { enabled: true },
      powerState: 'Stopped',
    }),
  );
  expect(await world.untilReason('service', 'orders', 'Resizing')).toMatch(
    /; then: high availability, connection pooler, stopping$/u,
  );
  await until(
    'the end',
    async () =>
      (await world.untilReason('service', 'orders', 'Stopped')) ===
      'the service is stopped, as asked',
  );
  for (const operation of [
    'resizeService',
    'setServiceHighAvailability',
    'enableServicePooler',
    'stopService',
  ])
    expect(commitsOf(world, operation)).toBe(1);
});

test.concurrent('a service is stopped and started as the spec says, and changes that a stopped service refuses follow later', async () => {
  await using world = await startWorld();
  const id = await readyService(world, { powerState: 'Stopped' });
  expect(await world.untilReason('service', 'orders', 'Stopped')).toBe(
    'the service is stopped, as asked',
  );
  await world.apply(service('orders', { powerState: 'Stopped', cpuMillis: 2000, memoryGbs: 8 }));
  await until('what follows', async () =>
    (await world.untilReason('service', 'orders', 'Stopped')).endsWith(
      '; when it runs again: size',
    ),
  );
  await world.apply(service('orders', { powerState: 'Running', cpuMillis: 2000, memoryGbs: 8 }));
  await world.untilReason('service', 'orders', 'Available');
  expect(inCloud(world, id)).toMatchObject({
    status: 'READY',
    resources: [{ spec: { cpu_millis: 2000 } }],
  });
  expect([
    commitsOf(world, 'startService'),
    commitsOf(world, 'stopService'),
    commitsOf(world, 'resizeService'),
  ]).toEqual([1, 1, 1]);
});

test.concurrent('a service moves to another VPC, and is detached when the spec names none', async () => {
  await using world = await startWorld();
  await world.apply(vpc('a'), vpc('b', { cidr: '10.1.0.0/16' }));
  const id = await readyService(world, { vpcRef: { name: 'a' } });
  await world.apply(service('orders', { vpcRef: { name: 'b' } }));
  const b = await until('VPC b', async () => (await world.vpc('b'))?.status?.id);
  await until(
    'the move',
    () => JSON.stringify(inCloud(world, id)?.vpcEndpoint ?? {}).includes(b ?? '?'),
    () => world.service('orders'),
  );
  await world.untilReady('service', 'orders');
  expect((await world.secret('orders-db'))?.['vpc-host']).toBeDefined();
  await world.apply(service('orders'));
  await until(
    'the service to be detached',
    () => inCloud(world, id)?.vpcEndpoint === undefined,
    () => world.service('orders'),
  );
  await world.untilReady('service', 'orders');
  expect((await world.secret('orders-db'))?.['vpc-host']).toBeUndefined();
  expect([
    commitsOf(world, 'attachServiceToVpc'),
    commitsOf(world, 'detachServiceFromVpc'),
  ]).toEqual([2, 2]);
});

test.concurrent('with a VPC that cannot be found nothing is attached, and other changes are made', async () => {
  await using world = await startWorld();
  await world.apply(vpc('a'));
  const id = await readyService(world, { vpcRef: { name: 'a' } });
  await world.apply(
    service('orders', {
      vpcRef: { name: 'nowhere' },
      environment: 'PROD',
      deletionProtection: false,
    }),
  );
  expect(await world.untilReason('service', 'orders', 'WaitingForReference')).toContain(
    '"nowhere" not found',
  );
  expect(inCloud(world, id)).toMatchObject({
    metadata: { environment: 'PROD' },
    vpcEndpoint: { port: 5432 },
  });
  expect(commitsOf(world, 'detachServiceFromVpc')).toBe(0);
});

test.concurrent('an attachment that a foreign client made is shown and left', async () => {
  await using world = await startWorld();
  await world.applyUntilReady(vpc('a'));
  const vpcId = (await world.vpc('a'))?.status?.id ?? '';
  const id = await readyService(world);
  await world.createInCloud(`services/${id}/attachToVPC`, { vpc_id: vpcId });
  await until(
    'the attachment',
    async () => (await world.service('orders'))?.status?.vpcId === vpcId,
    () => world.service('orders'),
  );
  await world.untilReady('service', 'orders');
  expect(commitsOf(world, 'detachServiceFromVpc')).toBe(0);
});

test.concurrent('in a state that should pass but does not, a change is tried once in ten minutes', async () => {
  await using world = await startWorld({ speed: 1200 });
  const id = await readyService(world);
  force(world.project, { kind: 'service', id, status: 'OPTIMIZING' });
  await until(
    'the state',
    async () => (await world.service('orders'))?.status?.state === 'OPTIMIZING',
  );
  await world.apply(service('orders', { environment: 'PROD', deletionProtection: false }));
  await until(
    'a try',
    () => (world.project.calls.get('setServiceEnvironment') ?? 0) > 0,
    () => world.service('orders'),
  );
  expect(commitsOf(world, 'setServiceEnvironment')).toBe(0);
  expect(await world.untilReason('service', 'orders', 'WaitingForCloud')).toContain('OPTIMIZING');
  force(world.project, { kind: 'service', id, status: 'READY' });
  await world.untilReady('service', 'orders');
  expect(commitsOf(world, 'setServiceEnvironment')).toBe(1);
});
