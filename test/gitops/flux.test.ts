import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { usualOffers } from '../../src/simulator/offers.ts';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { startControlPlane } from '../control-plane/control-plane.ts';
import { kubectl } from '../control-plane/kubectl.ts';
import { closedWindow } from '../support/closed-window.ts';
import { loseObject } from '../support/lose-object.ts';
import { replicaSet, service, vpc } from '../support/manifests.ts';
import { sharedProject } from '../support/shared-project.ts';
import { until } from '../support/until.ts';
import { startWorld, type World, type WorldKind } from '../support/world.ts';
import { annotationsOf } from './annotations.ts';
import { type Flux, startFlux } from './flux.ts';
import { kustomizeController, longestBuildMs } from './programs.ts';

/** Flux's own kustomize-controller applies, waits, corrects and prunes. A publisher replaces source-controller. */

let flux: Flux;
beforeAll(async () => {
  flux = await startFlux(inject('controlPlane'), await kustomizeController());
}, longestBuildMs);
afterAll(() => flux[Symbol.asyncDispose]());

const files = ['ledger-namespace.yaml', 'install.yaml'].map(
  (name) => new URL(`../../deploy/${name}`, import.meta.url),
);

/** The cloud needs three seconds for each database. */
const slow = { latencyMs: 180_000 };
const all = [
  vpc('prod'),
  service('orders', { vpcRef: { name: 'prod' } }),
  replicaSet('reads', 'orders'),
];

const settings = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings' },
  data: { host: 'orders' },
};

/** Whether the object is as its spec asks, by its conditions. */
const isReady = async (world: World, kind: WorldKind, name: string) => {
  const conditions = (await world[kind](name))?.status?.conditions ?? [];
  return conditions.length === 2 && conditions.every(({ status }) => status === 'True');
};

const alive = (world: World) =>
  world.project.everCreated.filter(({ deletedAt }) => deletedAt === undefined);

test('a Kustomization that waits becomes Ready only with the databases, and the Kustomization that depends on it waits for it', async () => {
  await using world = await startWorld(slow);
  const databases = flux.repository(world.namespace);
  const apps = flux.repository(world.namespace, 'apps');
  await databases.commit(...all);
  await apps.commit(settings);
  await apps.kustomize({ dependsOn: [{ name: 'databases' }] });
  await databases.kustomize();
  await databases.untilReason('Progressing');
  await apps.untilReason('DependencyNotReady');
  expect((await world.kubectl(['get', 'configmap', 'settings'])).stderr).toContain('not found');
  await databases.untilReady();
  expect([
    await isReady(world, 'vpc', 'prod'),
    await isReady(world, 'service', 'orders'),
    await isReady(world, 'replicaSet', 'reads'),
  ]).toEqual([true, true, true]);
  await apps.untilReady();
  expect((await world.kubectl(['get', 'configmap', 'settings'])).code).toBe(0);
});

test('another reconciliation writes nothing, and corrects an edit that Git does not have', async () => {
  await using world = await startWorld();
  const git = flux.repository(world.namespace);
  await git.commit(...all);
  await git.kustomize();
  await git.untilReady();
  const versions = async () => [
    (await world.vpc('prod'))?.metadata.resourceVersion,
    (await world.service('orders'))?.metadata.resourceVersion,
    (await world.replicaSet('reads'))?.metadata.resourceVersion,
  ];
  const before = await versions();
  await git.reconcile();
  expect(await versions()).toEqual(before);

  const edit = { spec: { cpuMillis: 2000, memoryGbs: 8 } };
  await world.kubectl([
    'patch',
    'managedservice',
    'orders',
    '--type=merge',
    '-p',
    JSON.stringify(edit),
  ]);
  await git.reconcile();
  await git.untilReady();
  expect((await world.service('orders'))?.spec).toMatchObject({ cpuMillis: 1000, memoryGbs: 4 });
  await world.untilReady('service', 'orders');
});

test('Flux removes an annotation of kubectl, and leaves an annotation with another field manager', async () => {
  await using world = await startWorld();
  const git = flux.repository(world.namespace);
  await git.commit(service('orders'));
  await git.kustomize();
  await git.untilReady();
  await world.kubectl(['annotate', 'managedservice', 'orders', 'example.com/a=x']);
  await world.kubectl([
    'annotate',
    'managedservice',
    'orders',
    '--field-manager=person',
    'example.com/b=x',
  ]);
  await git.reconcile();
  const annotations = await annotationsOf(world, 'orders');
  expect(annotations).not.toHaveProperty(['example.com/a']);
  expect(annotations).toHaveProperty(['example.com/b']);
  expect(annotations).toHaveProperty(['managed-db.io/ledger']);
});

test('a rejected size fails the health check at once, and a revert in Git heals it', async () => {
  await using world = await startWorld({ offers: usualOffers });
  const git = flux.repository(world.namespace);
  await git.commit(service('orders'));
  await git.kustomize();
  await git.untilReady();
  await git.commit(service('orders', { cpuMillis: 777, memoryGbs: 7 }));
  expect(await git.untilReason('HealthCheckFailed')).toContain(
    `failed early due to stalled resources: [ManagedService/${world.namespace}/orders status: 'Failed']`,
  );
  expect(await world.untilReason('service', 'orders', 'Rejected')).toContain('777');
  await git.commit(service('orders'));
  await git.untilReady();
  expect(await isReady(world, 'service', 'orders')).toBe(true);
  expect(world.project.commits.get('createService')).toBe(1);
});

test('an observed import and a suspended database do not keep a Kustomization from becoming Ready', async () => {
  await using world = await startWorld(sharedProject);
  await world.createInCloud('services', { name: 'legacy', cpu_millis: '2000', memory_gbs: '8' });
  const take = { 'managed-db.io/external-id': world.project.everCreated.at(-1)?.id ?? '' };
  const observed = service('imported', { managementPolicy: 'Observe' }, take);
  const git = flux.repository(world.namespace);
  await git.commit(observed, service('orders'));
  await git.kustomize();
  await git.untilReady();
  // An edit that the operator does not apply while the object is suspended.
  await git.commit(observed, service('orders', { suspend: true, cpuMillis: 2000, memoryGbs: 8 }));
  await git.untilReady();
  expect(await world.untilReason('service', 'imported', 'Observed')).toContain('cpuMillis');
  await world.untilReason('service', 'orders', 'Suspended');
  expect([...world.project.commits]).toEqual([['createService', 2]]);
});

test('a change that waits for its window does not keep a Kustomization from becoming Ready', async () => {
  await using world = await startWorld();
  const changeWindows = [closedWindow(world)];
  const git = flux.repository(world.namespace);
  await git.commit(service('orders', { changeWindows }));
  await git.kustomize();
  await git.untilReady();
  await git.commit(service('orders', { changeWindows, cpuMillis: 2000, memoryGbs: 8 }));
  await git.untilReady();
  expect(await world.untilReason('service', 'orders', 'WaitingForWindow')).toContain(
    'resizeService 1000m/4GB -> 2000m/8GB',
  );
  expect((await world.service('orders'))?.status?.conditions).toEqual([
    expect.objectContaining({ type: 'Ready', status: 'True' }),
    expect.objectContaining({ type: 'Synced', status: 'False', reason: 'WaitingForWindow' }),
  ]);
  expect(world.project.calls.get('resizeService')).toBeUndefined();
});

test('a suspended object without a database holds up a Kustomization that waits, unless healthChecks list the other objects', async () => {
  await using world = await startWorld();
  const git = flux.repository(world.namespace);
  await git.commit(service('orders'), service('later', { suspend: true }));
  const orders = {
    apiVersion: 'managed-db.io/v1alpha1',
    kind: 'ManagedService',
    name: 'orders',
    namespace: world.namespace,
  };
  await git.kustomize({ wait: false, healthChecks: [orders] });
  await git.untilReady();
  await git.kustomize();
  expect(await git.untilReason('HealthCheckFailed')).toContain(
    `timeout waiting for: [ManagedService/${world.namespace}/later status: 'InProgress']`,
  );
});

test('a prune keeps a protected database and a database with dependents, and says so', async () => {
  await using world = await startWorld();
  const git = flux.repository(world.namespace);
  const billing = service('billing', { environment: 'PROD' });
  const reads = replicaSet('reads', 'orders');
  await git.commit(billing, service('orders'), reads);
  await git.kustomize();
  await git.untilReady();
  await git.commit(reads);
  expect(await git.untilReason('PruneFailed')).toContain(
    'billing is protected from deletion because its environment is PROD',
  );
  expect(await world.untilReason('service', 'orders', 'DeletionBlocked')).toContain('reads');
  expect(world.project.calls.get('deleteService')).toBeUndefined();
  expect(alive(world)).toHaveLength(3);
});

test('the steps of the page undo a prune: the database, its id and its password stay', async () => {
  await using world = await startWorld();
  const git = flux.repository(world.namespace);
  const reads = replicaSet('reads', 'orders');
  await git.commit(service('orders'), reads);
  await git.kustomize();
  await git.untilReady();
  const id = (await world.service('orders'))?.status?.id ?? '';
  const password = (await world.secret('orders-db'))?.['password'];
  await git.commit(reads);
  await world.untilReason('service', 'orders', 'DeletionBlocked');
  const retain = JSON.stringify({ spec: { deletionPolicy: 'Retain' } });
  await world.kubectl(['patch', 'managedservice', 'orders', '--type=merge', '-p', retain]);
  await world.untilGone('service', 'orders');
  await git.commit(service('orders'), reads);
  expect(await world.untilReason('service', 'orders', 'NotBound')).toContain(id);
  await world.kubectl([
    'annotate',
    'managedservice',
    'orders',
    '--field-manager=restore',
    `managed-db.io/external-id=${id}`,
  ]);
  await git.untilReady();
  expect((await world.service('orders'))?.status?.id).toBe(id);
  expect((await world.secret('orders-db'))?.['password']).toBe(password);
  expect(world.project.calls.get('deleteService')).toBeUndefined();
});

test('the databases survive the deletion of a Kustomization with deletionPolicy Orphan', async () => {
  await using world = await startWorld();
  const git = flux.repository(world.namespace);
  await git.commit(service('orders'));
  await git.kustomize({ deletionPolicy: 'Orphan' });
  await git.untilReady();
  const deleted = ['delete', 'kustomization', 'databases', '--timeout=30s'];
  expect(await world.kubectl(deleted)).toMatchObject({ code: 0 });
  await world.sync('service', 'orders');
  expect(await isReady(world, 'service', 'orders')).toBe(true);
});

test('a restored object keeps its record while an active Kustomization has it and no operator runs', async () => {
  await using world = await startWorld();
  const git = flux.repository(world.namespace);
  await git.commit(service('orders'));
  // Without an operator, a health check would take its whole time.
  await git.kustomize({ wait: false });
  await world.untilReady('service', 'orders');
  await world.stopOperators();
  const backup = (await world.kubectl(['get', 'managedservice', 'orders', '-o', 'json'])).stdout;
  const id = (await world.service('orders'))?.status?.id;
  await loseObject(world);
  await world.untilGone('service', 'orders');
  const { metadata, spec } = restorable.parse(JSON.parse(backup));
  const { name, labels, annotations, finalizers } = metadata;
  const restored = {
    apiVersion: 'managed-db.io/v1alpha1',
    kind: 'ManagedService',
    metadata: { name, labels, annotations, finalizers },
    spec,
  };
  await world.kubectl(['create', '--field-manager=restore', '-f', '-'], JSON.stringify(restored));
  await git.reconcile();
  await world.startedOperator();
  await world.untilReady('service', 'orders');
  expect((await world.service('orders'))?.status?.id).toBe(id);
  expect(world.project.commits.get('createService')).toBe(1);
});

const restorable = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    labels: z.record(z.string(), z.string()),
    annotations: z.record(z.string(), z.string()),
    finalizers: z.array(z.string()),
  }),
  spec: z.looseObject({}),
});

test('no database and no definition goes when install.yaml is removed from Git', async () => {
  await using cluster = await startControlPlane();
  const { handle } = cluster;
  await using ownFlux = await startFlux(handle, await kustomizeController());
  await kubectl(handle, ['create', 'namespace', 'flux-system']);
  const git = ownFlux.repository('flux-system', 'operator');
  const install = (await Promise.all(files.map((file) => readFile(file, 'utf8'))))
    .flatMap((text) => parseAllDocuments(text))
    .map((document) => z.looseObject({ kind: z.string() }).parse(document.toJS()))
    // No kubelet runs here.
    .filter(({ kind }) => kind !== 'Deployment');
  await git.commit(...install);
  await git.kustomize({ targetNamespace: undefined });
  await git.untilReady();
  const orders = JSON.stringify(service('orders'));
  await kubectl(handle, ['create', 'namespace', 'shop']);
  await kubectl(handle, ['apply', '-n', 'shop', '-f', '-'], { input: orders });
  const kept = [
    'customresourcedefinitions',
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
    'managedservices',
  ].join();
  const names = async () => {
    const { stdout } = await kubectl(handle, ['get', kept, '-A', '-o', 'name']);
    return stdout.trim().split('\n').toSorted();
  };
  const before = await names();
  expect(before).toContain('managedservice.managed-db.io/orders');
  const { metadata } = settings;
  await git.commit({ ...settings, metadata: { ...metadata, namespace: 'flux-system' } });
  await git.untilReady();
  await until(
    'the rights of the operator to go',
    async () => (await kubectl(handle, ['get', 'clusterrole', 'managed-db-operator'])).code !== 0,
    async () => (await kubectl(handle, ['get', 'clusterroles', '-o', 'name'])).stdout,
  );
  expect(await names()).toEqual(before);
  const namespace = await kubectl(handle, ['get', 'namespace', 'managed-db-ledger', '-o', 'json']);
  expect(JSON.parse(namespace.stdout)).toMatchObject({ status: { phase: 'Active' } });
});
