import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect, inject, test } from 'vitest';
import { startControlPlane } from '../control-plane/control-plane.ts';
import { kubectl } from '../control-plane/kubectl.ts';
import { replicaSet, service, vpc } from '../support/manifests.ts';
import { until } from '../support/until.ts';
import { ledgerNamespace, startWorld, type World, worldTypes } from '../support/world.ts';
import { veleroBackup, veleroRestore } from './velero.ts';

/** The steps of Velero in its order, while the operator runs. Velero itself does not run here. */

const all = [
  vpc('prod'),
  service('orders', { vpcRef: { name: 'prod' } }),
  service('billing', { environment: 'PROD' }),
  replicaSet('reads', 'orders'),
];
const crds = fileURLToPath(new URL('../../crds', import.meta.url));

async function startWithAll(): Promise<World> {
  const world = await startWorld({ endsRestless: 'an operator waits for a person' });
  await world.apply(...all);
  await world.untilReady('vpc', 'prod');
  for (const name of ['orders', 'billing']) await world.untilReady('service', name);
  await world.untilReady('replicaSet', 'reads');
  return world;
}

/** By object, its id in the cloud and the reason of its condition Synced. */
async function seen(
  namespace: string,
  handle = inject('controlPlane'),
): Promise<readonly string[]> {
  const reason = '{.status.conditions[?(@.type=="Synced")].reason}';
  const { stdout } = await kubectl(handle, [
    'get',
    'managedvpcs,managedservices,readreplicasets',
    '-n',
    namespace,
    '-o',
    `jsonpath={range .items[*]}{.metadata.name} {.status.id} ${reason}{"\\n"}{end}`,
  ]);
  return stdout.trim().split('\n');
}

const untilAll = (reason: string, namespace: string, handle = inject('controlPlane')) =>
  until(
    `all objects to say ${reason}`,
    async () => (await seen(namespace, handle)).every((line) => line.endsWith(` ${reason}`)),
    () => seen(namespace, handle),
  );

test('a lost namespace is restored while the operator runs: each object has its id and its password again', async () => {
  await using world = await startWithAll();
  const { namespace, project } = world;
  const handle = inject('controlPlane');
  const before = await seen(namespace);
  const password = (await world.secret('orders-db'))?.['password'];
  const calls = [...project.commits];
  const backup = await veleroBackup(handle, [namespace]);
  await world.stopOperators();
  for (const [kind, name] of [
    ['replicaSet', 'reads'],
    ['service', 'orders'],
    ['service', 'billing'],
    ['vpc', 'prod'],
  ] as const) {
    if (name === 'billing') await world.patch(kind, name, { spec: { deletionProtection: false } });
    await world.delete(kind, name);
    // A policy keeps the finalizer from each writer except kubectl patch.
    const released = JSON.stringify({ metadata: { finalizers: null } });
    const { plural } = worldTypes[kind];
    await world.kubectl(['patch', plural, name, '--type=merge', '-p', released]);
    await world.untilGone(kind, name);
  }
  await world.kubectl(['delete', 'secrets', '--all']);
  await world.startedOperator();
  await veleroRestore(handle, backup);
  await untilAll('Available', namespace);
  expect(await seen(namespace)).toEqual(before);
  expect((await world.secret('orders-db'))?.['password']).toBe(password);
  expect([...project.commits]).toEqual(calls);
});

test('a restore into another namespace binds nothing, and the deletion of the copy leaves the cloud as it was', async () => {
  await using world = await startWithAll();
  const copy = `t-${randomBytes(4).toString('hex')}`;
  const calls = [...world.project.commits];
  const handle = inject('controlPlane');
  const backup = await veleroBackup(handle, [world.namespace]);
  await world.stopOperators();
  await world.startedOperator({ settings: { namespaces: [world.namespace, copy] } });
  await veleroRestore(handle, backup, { [world.namespace]: copy });
  await untilAll('NotBound', copy);
  const remove = ['delete', '-n', copy, '--timeout=30s'];
  expect(
    await kubectl(handle, [...remove, 'readreplicasets/reads', 'managedservices/orders']),
  ).toMatchObject({ code: 0 });
  expect((await kubectl(handle, [...remove, 'managedservices/billing'])).stderr).toContain(
    'billing is protected from deletion',
  );
  await world.sync('service', 'orders');
  await untilAll('Available', world.namespace);
  expect([...world.project.commits]).toEqual(calls);
});

test('a restore into another cluster of the same cloud binds nothing: each object says OwnedElsewhere', async () => {
  await using world = await startWithAll();
  await using other = await startControlPlane({ crds });
  const backup = await veleroBackup(inject('controlPlane'), [ledgerNamespace, world.namespace]);
  const calls = [...world.project.commits];
  await world.startedOperator({ cluster: other.handle });
  await veleroRestore(other.handle, backup);
  await untilAll('OwnedElsewhere', world.namespace, other.handle);
  const inCopy = (...args: readonly string[]) =>
    kubectl(other.handle, ['-n', world.namespace, ...args]);
  const larger = JSON.stringify({ spec: { cpuMillis: 2000, memoryGbs: 8 } });
  await inCopy('patch', 'managedservice', 'orders', '--type=merge', '-p', larger);
  const removed = await inCopy('delete', 'readreplicasets/reads', '--timeout=30s');
  expect(removed).toMatchObject({ code: 0 });
  await untilAll('OwnedElsewhere', world.namespace, other.handle);
  await untilAll('Available', world.namespace);
  expect([...world.project.commits]).toEqual(calls);
});
