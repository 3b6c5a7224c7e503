import { beforeAll, expect, test } from 'vitest';
import { usualOffers } from '../../src/simulator/offers.ts';
import { closedWindow } from '../support/closed-window.ts';
import { objectsOfReasons } from '../support/objects-of-reasons.ts';
import { service, vpc } from '../support/manifests.ts';
import { sharedProject } from '../support/shared-project.ts';
import { statesForTools } from '../support/states-for-tools.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from '../support/world.ts';
import { pages } from '../unit/docs/pages.ts';
import { annotationsOf } from './annotations.ts';
import { argoHealthOf, syncWithArgo } from './argocd.ts';
import { argocdEngine, longestBuildMs } from './programs.ts';

/** Argo CD's Lua runtime and sync engine, with the health check of docs/install.md. */

beforeAll(() => argocdEngine().then(() => undefined), longestBuildMs);

const words = { waits: 'Progressing', fails: 'Degraded', continues: 'Healthy' };

test('the health check waits for each object that is not as its spec asks, and fails for each that needs a person', async () => {
  const told = await argoHealthOf(objectsOfReasons.map(({ object }) => object));
  expect(
    objectsOfReasons.map(({ sentence }, index) => `${sentence}: ${told[index]?.status}`),
  ).toEqual(objectsOfReasons.map(({ sentence, verdict }) => `${sentence}: ${words[verdict]}`));
});

test('the page of reasons states the health of suspended, observed and stopped objects', async () => {
  const page = pages.find(({ path }) => path === 'docs/reasons.md')?.text ?? '';
  // Argo CD asks no health check about an object that is being deleted.
  const asked = statesForTools.filter(([, { metadata }]) => !metadata.deletionTimestamp);
  const told = await argoHealthOf(asked.map(([, object]) => object));
  const stated = asked.map(([state]) => {
    const row = page.split('\n').find((line) => line.startsWith(`| ${state} |`));
    return `${state}: ${row?.split('|')[6]?.trim()}`;
  });
  expect(asked.map(([state], index) => `${state}: ${told[index]?.status}`)).toEqual(stated);
});

type Manifest = { readonly metadata: { readonly annotations: Record<string, string> } };

function inWave<T extends Manifest>(wave: number, object: T): T {
  const annotations = {
    ...object.metadata.annotations,
    'argocd.argoproj.io/sync-wave': `${wave}`,
  };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

const settings = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', annotations: {} },
  data: { host: 'orders' },
};

const hasSettings = async (world: World) =>
  (await world.kubectl(['get', 'configmap', 'settings'])).code === 0;

test.each([false, true])(
  'each wave waits for the databases of the wave before it, and nothing differs afterwards (server-side apply: %s)',
  async (serverSideApply) => {
    await using world = await startWorld({ latencyMs: 180_000 });
    const application = {
      namespace: world.namespace,
      objects: [
        inWave(1, vpc('prod')),
        inWave(2, service('orders', { vpcRef: { name: 'prod' } })),
        inWave(3, settings),
      ],
      serverSideApply,
    };
    const syncing = syncWithArgo({ ...application, syncSeconds: 40 });
    await until('the last wave', () => hasSettings(world));
    expect((await world.service('orders'))?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'True' }),
    );
    expect(await syncing).toMatchObject({ phase: 'Succeeded' });
    await world.kubectl(['annotate', 'managedservice', 'orders', 'example.com/team=shop']);
    const compared = await syncWithArgo({ ...application, syncSeconds: 0 });
    expect(compared.compared.map(({ name, status }) => `${name} ${status}`).toSorted()).toEqual([
      'orders Synced',
      'prod Synced',
      'settings Synced',
    ]);
    expect(compared.health).toContainEqual(
      expect.objectContaining({ name: 'orders', status: 'Healthy' }),
    );
    expect(await annotationsOf(world, 'orders')).toHaveProperty(['example.com/team']);
  },
);

test('a suspended object and an observed import do not hold up the next wave', async () => {
  await using world = await startWorld(sharedProject);
  await world.applyUntilReady(service('orders'));
  await world.createInCloud('services', { name: 'legacy', cpu_millis: '2000', memory_gbs: '8' });
  const id = world.project.everCreated.at(-1)?.id ?? '';
  const observed = service(
    'imported',
    { managementPolicy: 'Observe' },
    { 'managed-db.io/external-id': id },
  );
  const synced = await syncWithArgo({
    namespace: world.namespace,
    objects: [
      inWave(1, service('orders', { suspend: true })),
      inWave(1, observed),
      inWave(2, settings),
    ],
    syncSeconds: 25,
    serverSideApply: true,
  });
  expect(synced).toMatchObject({ phase: 'Succeeded' });
  expect(await hasSettings(world)).toBe(true);
});

test('a change that waits for its window does not hold up the next wave', async () => {
  await using world = await startWorld();
  const changeWindows = [closedWindow(world)];
  await world.applyUntilReady(service('orders', { changeWindows }));
  const resized = service('orders', { changeWindows, cpuMillis: 2000, memoryGbs: 8 });
  const synced = await syncWithArgo({
    namespace: world.namespace,
    objects: [inWave(1, resized), inWave(2, settings)],
    syncSeconds: 25,
    serverSideApply: true,
  });
  expect(synced).toMatchObject({ phase: 'Succeeded' });
  expect(await hasSettings(world)).toBe(true);
  const message = await world.untilReason('service', 'orders', 'WaitingForWindow');
  expect(synced.health).toContainEqual({
    kind: 'ManagedService',
    name: 'orders',
    status: 'Healthy',
    message: `WaitingForWindow: ${message}`,
  });
  expect(world.project.calls.get('resizeService')).toBeUndefined();
});

test('a rejected size fails the sync with the message of the object, and the next wave is not applied', async () => {
  await using world = await startWorld({ offers: usualOffers });
  const rejected = service('orders', { cpuMillis: 777, memoryGbs: 7 });
  const synced = await syncWithArgo({
    namespace: world.namespace,
    objects: [inWave(1, rejected), inWave(2, settings)],
    syncSeconds: 25,
    serverSideApply: true,
  });
  const message = await world.untilReason('service', 'orders', 'Rejected');
  expect(synced.phase).toBe('Failed');
  expect(synced.results.find(({ name }) => name === 'orders')?.message).toContain(message);
  expect(await hasSettings(world)).toBe(false);
});

test('the prune of a protected database fails with the words of the policy, and the database stays', async () => {
  await using world = await startWorld();
  const application = { namespace: world.namespace, serverSideApply: true };
  const billing = service('billing', { environment: 'PROD' });
  const first = await syncWithArgo({ ...application, objects: [billing], syncSeconds: 25 });
  expect(first.phase).toBe('Succeeded');
  const pruned = await syncWithArgo({
    ...application,
    objects: [settings],
    syncSeconds: 25,
    prune: true,
  });
  expect(pruned.phase).toBe('Failed');
  const refused = pruned.results.find(({ name }) => name === 'billing');
  expect(refused?.status).toBe('SyncFailed');
  expect(refused?.message).toContain(
    'billing is protected from deletion because its environment is PROD',
  );
  expect(pruned.compared).toContainEqual(
    expect.objectContaining({ name: 'billing', status: 'OutOfSync' }),
  );
  expect(world.project.everCreated.filter(({ deletedAt }) => deletedAt === undefined)).toHaveLength(
    1,
  );
});
