import { expect, test } from 'vitest';
import { changed, planned, type Change } from '../../support/planned.ts';
import { closedWindow } from '../../support/closed-window.ts';
import { startWorld, type World } from '../../support/world.ts';

const size = { cpuMillis: 2000, memoryGbs: 8, regionCode: 'eu-central-1' };
const service = (spec: object, name = 'orders'): Change => ({
  kind: 'ManagedService',
  name,
  spec: { ...size, ...spec },
});

const deletion = (name: string): Change => ({ kind: 'ManagedService', name, isDeletion: true });

async function plannedFor(world: World, ...changes: readonly Change[]) {
  const edits = await Promise.all(changes.map((each) => changed(world, each, true)));
  return planned(
    world,
    edits.filter((edit) => edit !== undefined),
  );
}

async function made(world: World, ...changes: readonly Change[]): Promise<void> {
  for (const each of changes) await changed(world, each, false);
  for (const { kind, name } of changes)
    await world.untilSynced(kind === 'ManagedVpc' ? 'vpc' : 'service', name);
}

test('a plan has the steps of a change in order, with the values before and after and their impact, and changes nothing', async () => {
  await using world = await startWorld();
  await made(world, service({ environment: 'DEV' }));
  const before = [...world.project.commits];
  const [plan] = await plannedFor(
    world,
    service({ cpuMillis: 4000, memoryGbs: 16, environment: 'PROD', powerState: 'Stopped' }),
  );
  expect(plan).toMatchObject({
    end: 'synced',
    reason: 'Stopped',
    steps: [
      {
        operation: 'resizeService',
        text: 'resize 2000m/8GB -> 4000m/16GB',
        impact: 'interruption',
        cause: 'spec',
      },
      {
        operation: 'setServiceEnvironment',
        text: 'set the environment DEV -> PROD',
        impact: 'none',
        cause: 'spec',
      },
      { operation: 'stopService', text: 'stop', impact: 'interruption', cause: 'spec' },
    ],
  });
  expect([...world.project.commits]).toEqual(before);
  expect(await world.service('orders')).toMatchObject({ spec: { cpuMillis: 2000 } });
});

test('a plan shows the change that a window holds, also of a service that is stopped', async () => {
  await using world = await startWorld();
  await made(world, service({}));
  const changeWindows = [closedWindow(world)];
  const [plan] = await plannedFor(
    world,
    service({ cpuMillis: 4000, memoryGbs: 16, powerState: 'Stopped', changeWindows }),
  );
  const resize = {
    text: 'resize 2000m/8GB -> 4000m/16GB',
    held: expect.stringContaining('waits for a window at') as unknown,
  };
  expect(plan).toMatchObject({
    end: 'waits',
    reason: 'Stopped',
    steps: [{ text: 'stop' }, resize],
  });
});

test('a plan for several new objects follows their references, and names what they create by its object', async () => {
  await using world = await startWorld({ start: false });
  const plans = await plannedFor(
    world,
    service({ vpcRef: { name: 'prod' } }),
    { kind: 'ManagedVpc', name: 'prod', spec: { cidr: '10.0.0.0/16', regionCode: 'eu-central-1' } },
    {
      kind: 'ReplicaSet',
      name: 'reads',
      spec: { serviceRef: { name: 'orders' }, nodes: 2, cpuMillis: 500, memoryGbs: 2 },
    },
  );
  expect(
    plans.map(({ name, steps, end }) => [name, end, ...steps.map(({ text }) => text)]),
  ).toEqual([
    ['prod', 'synced', 'create the VPC: eu-central-1, 10.0.0.0/16'],
    ['orders', 'synced', 'create the service: 2000m/8GB, eu-central-1', 'attach to VPC mvpc/prod'],
    ['reads', 'synced', 'create the replica set: 500m/2GB'],
  ]);
});

test('a plan tells what differs already in the cloud from what the manifests change', async () => {
  await using world = await startWorld();
  await made(world, service({ connectionPooler: { enabled: false } }));
  await world.stopOperators();
  const id = (await world.service('orders'))?.status?.id ?? '';
  await world.createInCloud(`services/${id}/enablePooler`, {});
  const [plan] = await plannedFor(
    world,
    service({ connectionPooler: { enabled: false }, environment: 'PROD' }),
  );
  expect(plan?.steps.map(({ operation, cause }) => [operation, cause])).toEqual([
    ['setServiceEnvironment', 'spec'],
    ['disableServicePooler', 'drift'],
  ]);
});

test('a plan of a deletion says that data is deleted, or which rule keeps it', async () => {
  await using world = await startWorld();
  await made(world, service({ environment: 'PROD' }), service({ environment: 'DEV' }, 'legacy'));
  expect(await plannedFor(world, deletion('orders'), deletion('legacy'))).toMatchObject([
    { name: 'legacy', end: 'gone', steps: [{ operation: 'deleteService', impact: 'dataLoss' }] },
    { name: 'orders', end: 'waits', reason: 'DeletionProtected', steps: [] },
  ]);
});

test('a plan of unchanged objects has no steps, and two plans of the same world are equal', async () => {
  await using world = await startWorld();
  await made(world, service({ environment: 'DEV', password: { rotation: 'one' } }));
  const [first, second] = [
    await planned(world, [], () => true),
    await planned(world, [], () => true),
  ];
  expect(first).toMatchObject([{ name: 'orders', end: 'synced', steps: [] }]);
  expect(second).toEqual(first);
});

test('a plan fails if a part of the cloud cannot be read', async () => {
  await using world = await startWorld({ start: false });
  world.project.faults.add({ kind: 'errorBefore', operation: 'listVpcs', status: 500, times: 1 });
  await expect(plannedFor(world, service({}))).rejects.toMatchObject({
    name: 'CloudError',
    operation: 'listVpcs',
  });
});

test('a plan shows the adoption of a named service, and then the changes that its spec asks for', async () => {
  await using world = await startWorld({ start: false });
  await world.createInCloud('services', {
    name: 'by-hand',
    cpu_millis: '1000',
    memory_gbs: '4',
    region_code: 'eu-central-1',
  });
  const id = world.project.everCreated.at(-1)?.id ?? '';
  await world.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'cloud' },
    stringData: { apiKey: world.project.apiKey },
  });
  await world.apply({
    apiVersion: 'managed-db.io/v1alpha1',
    kind: 'ManagedService',
    metadata: { name: 'orders', annotations: { 'managed-db.io/external-id': id } },
    spec: { ...size, environment: 'PROD', credentialsRef: { name: 'cloud' } },
  });
  const [plan] = await planned(world, [], () => true);
  expect(plan?.steps.map(({ operation, text }) => [operation, text])).toEqual([
    ['adopt', `adopt service ${id} as it is`],
    ['resizeService', 'resize 1000m/4GB -> 2000m/8GB'],
    ['setServiceEnvironment', 'set the environment DEV -> PROD'],
  ]);
});

test('a plan ends with the conflict if a foreign Secret has the name of the connection Secret', async () => {
  await using world = await startWorld();
  await world.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'taken' },
    stringData: { own: 'text' },
  });
  await world.apply({
    apiVersion: 'managed-db.io/v1alpha1',
    kind: 'ManagedService',
    metadata: { name: 'orders' },
    spec: { ...size, connectionSecret: { name: 'taken' } },
  });
  await world.untilReason('service', 'orders', 'SecretConflict');
  const [plan] = await planned(world, [], () => true);
  expect(plan).toMatchObject({ end: 'waits', reason: 'SecretConflict' });
});
