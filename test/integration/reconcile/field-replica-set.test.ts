import { test } from 'vitest';
import { force } from '../../../src/simulator/store.ts';
import { replicaSet, service } from '../../support/manifests.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { untilTold } from '../../support/until-told.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** Drift, removal and refusal of the fields of a replica set; other-changes.test.ts has the changes. */

async function readyReplicaSet(
  world: World,
  spec: object = {},
): Promise<{ readonly id: string; readonly path: string }> {
  await world.apply(service('orders'), replicaSet('reads', 'orders', spec));
  await world.untilReady('replicaSet', 'reads');
  const { id = '', serviceId = '' } = (await world.replicaSet('reads'))?.status ?? {};
  return { id, path: `services/${serviceId}/replicaSets/${id}` };
}

const inCloud = (world: World, id: string) => ({
  connection_pooler: undefined,
  ...world.project.stores.replicaSet.get(id)?.timeline.at(world.clock.now()),
});

const drifts = [
  {
    field: 'cpuMillis and memoryGbs',
    spec: {},
    elsewhere: ['resize', { cpu_millis: '4000', memory_gbs: '16' }],
    told: 'cpuMillis/memoryGbs was changed elsewhere from 1000m/4GB to 4000m/16GB; resizing from 4000m/16GB to 1000m/4GB',
    right: { cpu_millis: 1000, memory_gbs: 4 },
  },
  {
    field: 'environment',
    spec: { environment: 'DEV' },
    elsewhere: ['setEnvironment', { environment: 'PROD' }],
    told: 'environment was changed elsewhere from DEV to PROD; setting the environment from PROD to DEV',
    right: { metadata: { environment: 'DEV' } },
  },
  {
    field: 'connectionPooler.enabled',
    spec: { connectionPooler: { enabled: false } },
    elsewhere: ['enablePooler', {}],
    told: 'connectionPooler.enabled was changed elsewhere from false to true; disabling the connection pooler',
    right: { connection_pooler: undefined },
  },
] as const;

test.concurrent.for(drifts.slice(0, 2))(
  'a $field of a replica set that a user changes in the cloud is reported with old and new value, and changed back',
  async ({ spec, elsewhere: [path, body], told, right }, { expect }) => {
    await using world = await startWorld({ latencyMs: 0 });
    const set = await readyReplicaSet(world, spec);
    await world.createInCloud(`${set.path}/${path}`, body);
    await untilTold(world, told);
    await expect.poll(() => inCloud(world, set.id), { timeout: 20_000 }).toMatchObject(right);
  },
);

test.concurrent('a size of a replica set that a user changes in the cloud is reported even if the change takes minutes', async ({
  expect,
}) => {
  await using world = await startWorld({ speed: 120, latencyMs: 180_000 });
  const { id, path } = await readyReplicaSet(world);
  await world.createInCloud(`${path}/resize`, { cpu_millis: '4000', memory_gbs: '16' });
  await until(
    'the cloud at work in status',
    async () => (await world.replicaSet('reads'))?.status?.state !== 'active',
  );
  await untilTold(
    world,
    'cpuMillis/memoryGbs was changed elsewhere from 1000m/4GB to 4000m/16GB; resizing from 4000m/16GB to 1000m/4GB',
  );
  await expect
    .poll(() => inCloud(world, id), { timeout: 20_000 })
    .toMatchObject({ cpu_millis: 1000, memory_gbs: 4 });
});

test.concurrent('environment and pooler of a replica set stay when they are removed from the spec; a later change in the cloud is reported and left', async ({
  expect,
}) => {
  await using world = await startWorld({ latencyMs: 0 });
  const { id, path } = await readyReplicaSet(world, {
    environment: 'PROD',
    connectionPooler: { enabled: true },
  });
  await readyReplicaSet(world);
  expect(inCloud(world, id)).toMatchObject({
    metadata: { environment: 'PROD' },
    connection_pooler: { endpoint: { port: 6432 } },
  });
  await world.createInCloud(`${path}/setEnvironment`, { environment: 'DEV' });
  await untilTold(
    world,
    'environment was changed elsewhere from PROD to DEV; the spec does not name it: it stays',
  );
  await world.createInCloud(`${path}/disablePooler`, {});
  await untilTold(
    world,
    'connectionPooler.enabled was changed elsewhere from true to false; the spec does not name it: it stays',
  );
  await world.untilReady('replicaSet', 'reads');
  expect(inCloud(world, id)).toMatchObject({
    metadata: { environment: 'DEV' },
    connection_pooler: undefined,
  });
  expect(await world.secret('reads-replicas-db')).not.toHaveProperty('pooler-host');
});

test.concurrent('a change of a replica set that the cloud postpones is made later', async ({
  expect,
}) => {
  await using world = await startWorld();
  const { id } = await readyReplicaSet(world);
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'resizeReplicaSet',
    status: 409,
    body: { message: 'busy' },
  });
  await world.apply(replicaSet('reads', 'orders', { memoryGbs: 8 }));
  const words =
    'the cloud cannot resize the replica set to 1000 millicores, 8 GB now: "busy"; tried again until it can';
  expect(await world.untilReason('replicaSet', 'reads', 'WaitingForCloud')).toBe(words);
  world.project.faults.clear();
  await world.untilReady('replicaSet', 'reads');
  expect(inCloud(world, id)).toMatchObject({ cpu_millis: 1000, memory_gbs: 8 });
});

test.concurrent('a refused or postponed change of a replica set does not delay its other changes', async ({
  expect,
}) => {
  await using world = await startWorld();
  await readyReplicaSet(world);
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'resizeReplicaSet',
    status: 422,
    body: { message: 'no' },
  });
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'setReplicaSetEnvironment',
    status: 409,
    body: { message: 'busy' },
  });
  await world.apply(
    replicaSet('reads', 'orders', {
      memoryGbs: 8,
      environment: 'PROD',
      deletionProtection: false,
      connectionPooler: { enabled: true },
    }),
  );
  await until(
    'the pooler',
    () => world.project.commits.get('enableReplicaSetPooler') === 1,
    () => world.replicaSet('reads'),
  );
  expect(await world.untilReason('replicaSet', 'reads', 'Rejected')).toContain('"no"');
});

test.concurrent('the fields that kustomize adds to a ReplicaSet, and removes again, change nothing', async ({
  expect,
}) => {
  await using world = await startWorld();
  await readyReplicaSet(world);
  const before = JSON.stringify([...world.project.commits]);
  const labels = { app: 'shop' };
  await readyReplicaSet(world, {
    selector: { matchLabels: labels },
    template: { metadata: { labels } },
  });
  await readyReplicaSet(world);
  expect((await world.replicaSet('reads'))?.status?.observedGeneration).toBe(3);
  expect(JSON.stringify([...world.project.commits])).toBe(before);
});

test.concurrent('a serviceRef can be replaced by the id of the same service, without a call', async ({
  expect,
}) => {
  await using world = await startWorld(sharedProject);
  const { id } = await readyReplicaSet(world);
  const before = JSON.stringify([...world.project.commits]);
  const serviceId = (await world.service('orders'))?.status?.id;
  await world.applyUntilReady(replicaSet('reads', 'orders', { serviceRef: undefined, serviceId }));
  expect((await world.replicaSet('reads'))?.status).toMatchObject({ id, serviceId });
  expect(JSON.stringify([...world.project.commits])).toBe(before);
});

test.concurrent('a parent that no object follows is looked at again until it runs', async ({
  expect,
}) => {
  await using world = await startWorld({ ...sharedProject, latencyMs: 3_600_000 });
  await world.createInCloud('services', { name: 'raw', cpu_millis: '1000', memory_gbs: '4' });
  const { id: serviceId = '' } = world.project.everCreated[0] ?? {};
  await world.apply(replicaSet('reads', '', { serviceRef: undefined, serviceId }));
  expect(await world.untilReason('replicaSet', 'reads', 'WaitingForReference')).toContain(
    `${serviceId} is QUEUED`,
  );
  force(world.project, { kind: 'service', id: serviceId, status: 'READY' });
  world.project.latencyMs = 2_000;
  await world.untilReady('replicaSet', 'reads');
});

test.concurrent('a parent that does not exist is waited for, by name and by id', async ({
  expect,
}) => {
  await using world = await startWorld(sharedProject);
  await world.apply(
    replicaSet('reads', 'orders'),
    replicaSet('raw', '', { serviceRef: undefined, serviceId: 'k2m9q1zx4w' }),
  );
  expect(await world.untilReason('replicaSet', 'reads', 'WaitingForReference')).toContain(
    'spec.serviceRef "orders" not found',
  );
  expect(await world.untilReason('replicaSet', 'raw', 'WaitingForReference')).toContain(
    'k2m9q1zx4w is not seen yet',
  );
  await world.apply(service('orders'));
  await world.untilReady('replicaSet', 'reads');
  expect(world.project.calls.get('createReplicaSet')).toBe(1);
});
