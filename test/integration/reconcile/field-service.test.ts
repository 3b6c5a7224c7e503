import { test } from 'vitest';
import { commitsOf } from '../../support/cloud-calls.ts';
import { service } from '../../support/manifests.ts';
import { serviceDrifts as drifts } from '../../support/service-values.ts';
import { untilTold } from '../../support/until-told.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/**
 * The changeable fields of a running service: drift, and several changes at once. service-changes.test.ts has
 * each change by itself.
 */

/** A service whose spec is this and nothing else. @returns its id */
async function readyWithExactly(world: World, spec: object = {}): Promise<string> {
  // Server-side apply takes no spec that lost its last field: it makes it null.
  await world.apply({ ...service('orders'), spec: { suspend: false, ...spec } });
  await world.untilReady('service', 'orders');
  return (await world.service('orders'))?.status?.id ?? '';
}

const inCloud = (world: World, id: string) => ({
  connection_pooler: undefined,
  ...world.project.stores.service.get(id)?.timeline.at(world.clock.now()),
});
const size = { cpuMillis: 1000, memoryGbs: 4 };

/** The report is the same for each field; the next test has all fields. */
test.concurrent.for(drifts.slice(0, 2))(
  '$field: a change in the cloud is reported with old and new value; it stays, since the spec does not name the field',
  async ({ elsewhere: [path, body], told, left }, { expect }) => {
    await using world = await startWorld({ latencyMs: 0 });
    const id = await readyWithExactly(world, size);
    await readyWithExactly(world, {});
    await world.createInCloud(`services/${id}/${path}`, body);
    await untilTold(world, `${told}the spec does not name it: it stays`);
    await world.untilSynced('service', 'orders');
    expect(inCloud(world, id)).toMatchObject(left);
  },
);

test.concurrent.for(drifts)(
  '$field: a change in the cloud is reported with old and new value; it is changed back, since the spec names the field',
  async ({ elsewhere: [path, body], told, mending, spec, right }, { expect }) => {
    await using world = await startWorld({ latencyMs: 0 });
    const id = await readyWithExactly(world, { ...size, ...spec });
    await world.createInCloud(`services/${id}/${path}`, body);
    await untilTold(world, told + mending);
    await expect.poll(() => inCloud(world, id), { timeout: 20_000 }).toMatchObject(right);
    await world.untilReady('service', 'orders');
  },
);

const slow = drifts.filter(({ elsewhere: [path] }) => path === 'resize' || path === 'stop');

/** The cloud is slow, so the operator sees the service in transition to the change of another client. */
test.concurrent.for(slow)(
  '$field: a change in the cloud is reported even if it takes minutes',
  async ({ elsewhere: [path, body], told, left }, { expect }) => {
    await using world = await startWorld({ speed: 120, latencyMs: 180_000 });
    const id = await readyWithExactly(world, size);
    await readyWithExactly(world, {});
    await world.createInCloud(`services/${id}/${path}`, body);
    await until(
      'the cloud at work in status',
      async () => (await world.service('orders'))?.status?.state !== 'READY',
    );
    await untilTold(world, `${told}the spec does not name it: it stays`);
    await world.untilSynced('service', 'orders');
    expect(inCloud(world, id)).toMatchObject(left);
  },
);

test.concurrent('of two changes in the cloud, each is reported with its consequence', async ({
  expect,
}) => {
  await using world = await startWorld({ latencyMs: 0 });
  const id = await readyWithExactly(world, { connectionPooler: { enabled: true } });
  // Both before the next look.
  await Promise.all([
    world.createInCloud(`services/${id}/setEnvironment`, { environment: 'PROD' }),
    world.createInCloud(`services/${id}/disablePooler`, {}),
  ]);
  await untilTold(
    world,
    'connectionPooler.enabled was changed elsewhere from true to false; enabling the connection pooler',
  );
  await untilTold(
    world,
    'environment was changed elsewhere from DEV to PROD; the spec does not name it: it stays',
  );
  expect(inCloud(world, id)).toMatchObject({ metadata: { environment: 'PROD' } });
});

test.concurrent('cpuMillis and memoryGbs: either field alone changes, and the other value stays as the cloud has it', async ({
  expect,
}) => {
  await using world = await startWorld();
  const id = await readyWithExactly(world, size);
  const shown = () => inCloud(world, id).resources?.[0]?.spec;
  await readyWithExactly(world, { memoryGbs: 8 });
  await expect.poll(shown, { timeout: 20_000 }).toMatchObject({ cpu_millis: 1000, memory_gbs: 8 });
  await readyWithExactly(world, { cpuMillis: 2000 });
  await expect.poll(shown, { timeout: 20_000 }).toMatchObject({ cpu_millis: 2000, memory_gbs: 8 });
  expect(commitsOf(world, 'resizeService')).toBe(2);
});

test.concurrent('highAvailability: either number alone changes, the other number stays as the cloud has it, and each stays when its field is removed', async ({
  expect,
}) => {
  await using world = await startWorld();
  const id = await readyWithExactly(world, { highAvailability: { replicaCount: 2 } });
  const shown = () => inCloud(world, id).ha_replicas;
  await readyWithExactly(world, { highAvailability: { syncReplicaCount: 1 } });
  await expect
    .poll(shown, { timeout: 20_000 })
    .toEqual({ replica_count: 2, sync_replica_count: 1 });
  await readyWithExactly(world, { highAvailability: { replicaCount: 3 } });
  await expect
    .poll(shown, { timeout: 20_000 })
    .toEqual({ replica_count: 3, sync_replica_count: 1 });
  await readyWithExactly(world, {});
  expect(shown()).toEqual({ replica_count: 3, sync_replica_count: 1 });
  expect(commitsOf(world, 'setServiceHighAvailability')).toBe(2);
});

test.concurrent.for([
  [422, 'Rejected'],
  [409, 'WaitingForCloud'],
] as const)(
  'a change that the cloud answers with %d is shown, and the other changes are made',
  async ([status, reason], { expect }) => {
    await using world = await startWorld();
    const id = await readyWithExactly(world, size);
    const refused = ['resizeService', 'setServiceHighAvailability'];
    for (const operation of refused)
      world.project.faults.add({
        kind: 'errorBefore',
        operation,
        status,
        body: { message: 'not so' },
      });
    const change = { cpuMillis: 2000, memoryGbs: 8, highAvailability: { replicaCount: 1 } };
    await world.apply(
      service('orders', {
        ...change,
        environment: 'PROD',
        deletionProtection: false,
        connectionPooler: { enabled: true },
      }),
    );
    await until(
      'the environment',
      () => commitsOf(world, 'setServiceEnvironment') === 1,
      () => world.service('orders'),
    );
    await until(
      'the pooler',
      () => commitsOf(world, 'enableServicePooler') === 1,
      () => world.service('orders'),
    );
    expect(await world.untilReason('service', 'orders', reason)).toContain('"not so"');
    expect(inCloud(world, id)).toMatchObject({
      metadata: { environment: 'PROD' },
      connection_pooler: { endpoint: { port: 6432 } },
    });
  },
);

test.concurrent('Observe: the message lists the differences from the spec', async ({ expect }) => {
  await using world = await startWorld();
  await readyWithExactly(world, size);
  await world.apply(
    service('orders', {
      managementPolicy: 'Observe',
      cpuMillis: 2000,
      memoryGbs: 8,
      connectionPooler: { enabled: true },
    }),
  );
  const differences =
    'cpuMillis/memoryGbs is 1000m/4GB, not 2000m/8GB, connectionPooler.enabled is disabled, not enabled';
  expect(await world.untilReason('service', 'orders', 'Observed')).toBe(
    `the service is observed and never changed; it differs: ${differences}`,
  );
});
