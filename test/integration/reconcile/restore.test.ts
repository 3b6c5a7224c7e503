import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { cloudResourceFinalizer } from '../../../src/resources/annotations.ts';
import { startControlPlane } from '../../control-plane/control-plane.ts';
import { kubectl } from '../../control-plane/kubectl.ts';
import { dropEntry } from '../../support/ledger.ts';
import { service } from '../../support/manifests.ts';
import { loseObject } from '../../support/lose-object.ts';
import { readyService } from '../../support/ready-service.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** As a backup has it: what the user wrote and the annotations, without status and what the API server adds. */
async function backup(world: World) {
  const object = await world.service('orders');
  const record = object?.metadata.annotations?.['managed-db.io/record'] ?? '';
  return service('orders', {}, { 'managed-db.io/record': record });
}

test('an object that is restored in its cluster finds its service again, without its status', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const saved = await backup(world);
  await loseObject(world);
  await world.apply(saved);
  await world.startedOperator();
  await world.untilReady('service', 'orders');
  expect((await world.service('orders'))?.status?.id).toBe(id);
  expect(world.project.everCreated.length).toBe(1);
  expect(world.project.commits.get('updateServicePassword')).toBeUndefined();
  await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=20s']);
  expect(world.project.commits.get('deleteService')).toBe(1);
});

test("with the operator's own key a Secret alone proves nothing, whoever refers to it", async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await world.stopOperators();
  await dropEntry(world, 'orders');
  await loseObject(world);
  await world.apply(service('orders', {}, { 'managed-db.io/external-id': id }));
  await world.startedOperator();
  expect(await world.untilReason('service', 'orders', 'NotAllowed')).toContain(id);
  await world.sync('service', 'orders');
  await world.sync('service', 'orders');
  const { status, metadata } = (await world.service('orders')) ?? {};
  expect([status?.id, metadata?.annotations?.['managed-db.io/record']]).toEqual([undefined, undefined]);

  // Whoever runs the operator says that its objects may have what is in its project.
  await world.stopOperators();
  await world.startedOperator(sharedProject);
  await world.untilReady('service', 'orders');
  expect((await world.service('orders'))?.status?.id).toBe(id);
  expect(world.project.everCreated.length).toBe(1);
});

test('a restore drill in another cluster never touches production', { timeout: 120_000 }, async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const saved = await backup(world);
  await using plane = await startControlPlane({ crds: fileURLToPath(new URL('../../../crds', import.meta.url)) });
  const { handle } = plane;
  const drill = (args: readonly string[], input?: string) =>
    kubectl(handle, ['-n', 'default', ...args], input === undefined ? {} : { input });
  // The backup has what was said of production in a crisis, too.
  const uid = (await world.service('orders'))?.metadata.uid ?? '';
  const annotations = { ...saved.metadata.annotations, 'managed-db.io/take-over': `${id} ${uid}` };
  const metadata = { ...saved.metadata, annotations, finalizers: [cloudResourceFinalizer] };
  const applied = await drill(['apply', '-f', '-'], JSON.stringify({ ...saved, metadata }));
  expect(applied).toMatchObject({ code: 0 });
  const start = async () => {
    const operator = await world.startedOperator({ cluster: handle, settings: { namespaces: ['default'] } });
    return operator;
  };
  const first = await start();
  const ready = async () => (await drill(['get', 'managedservice', 'orders', '-o', 'jsonpath={.status.conditions[0].reason}'])).stdout;
  await until('the other cluster to hold back', async () => (await ready()) === 'OwnedElsewhere', ready);
  const calls = world.project.calls.get('updateServicePassword');
  await drill(['patch', 'managedservice', 'orders', '--type=merge', '-p', '{"spec":{"environment":"PROD","deletionProtection":false}}']);
  // A status of another time names another one. To mend that would make the record one of this cluster.
  await drill(['patch', 'managedservice', 'orders', '--subresource=status', '--type=merge', '-p', '{"status":{"id":"x9x9x9x9x9"}}']);
  expect(await drill(['delete', 'managedservice', 'orders', '--timeout=20s'])).toMatchObject({ code: 0 });
  expect([world.project.calls.get('deleteService'), world.project.calls.get('setServiceEnvironment'), calls]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);

  // The record got lost there, and status alone tells of production.
  await first.stop(5_000);
  expect(await drill(['create', '-f', '-'], JSON.stringify({ ...saved, metadata: { name: 'orders' } }))).toMatchObject({ code: 0 });
  const { projectId, clusterUid } = (await world.service('orders'))?.status ?? {};
  const known = JSON.stringify({ status: { id, projectId, clusterUid } });
  await drill(['patch', 'managedservice', 'orders', '--subresource=status', '--type=merge', '-p', known]);
  await start();
  expect(await until('a word', async () => [await ready()].find((reason) => ['OwnedElsewhere', 'Available'].includes(reason)))).toBe(
    'OwnedElsewhere',
  );
  expect(await drill(['delete', 'managedservice', 'orders', '--timeout=20s'])).toMatchObject({ code: 0 });
  expect([world.project.calls.get('deleteService'), world.project.everCreated.length]).toEqual([undefined, 1]);

  // The drill becomes the truth: only when a person says so.
  await drill(['apply', '-f', '-'], JSON.stringify(saved));
  await until('the other cluster to hold back', async () => (await ready()) === 'OwnedElsewhere', ready);
  const restored = (await drill(['get', 'managedservice', 'orders', '-o', 'jsonpath={.metadata.uid}'])).stdout;
  await drill(['annotate', 'managedservice', 'orders', `managed-db.io/take-over=${id} ${restored}`]);
  await until('the other cluster to take over', async () => (await ready()) === 'Available', ready);
  expect(world.project.everCreated.length).toBe(1);
});
