import { expect, test } from 'vitest';
import { callsOf } from '../../support/cloud-calls.ts';
import { dropEntry } from '../../support/ledger.ts';
import { letPass } from '../../support/let-pass.ts';
import { readyService } from '../../support/ready-service.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** A change by the operator itself is no drift. */

const drifts = (world: World) => world.log.filter((line) => line.includes('changed elsewhere'));
const edit = (world: World, spec: object) =>
  world.kubectl([
    'patch',
    'managedservice',
    'orders',
    '--type=merge',
    '-p',
    JSON.stringify({ spec }),
  ]);

test('a resize without an answer is no drift when a list shows it late, though its object was suspended meanwhile', async () => {
  await using world = await startWorld({ speed: 30, latencyMs: 10_000 });
  await readyService(world);
  await letPass(world, 20_000);
  world.project.faults.add({ kind: 'staleList', operation: 'listServices', ageMs: 20_000 });
  world.project.faults.add({
    kind: 'errorAfter',
    operation: 'resizeService',
    status: 503,
    times: 1,
  });
  await edit(world, { cpuMillis: 2000, memoryGbs: 8 });
  await until('the resize', () => callsOf(world, 'resizeService') > 0);
  await edit(world, { suspend: true });
  await until(
    'the new size',
    async () =>
      (await world.service('orders'))?.status?.service?.resources?.[0]?.spec?.cpuMillis === 2000,
  );
  await edit(world, { suspend: false });
  await world.untilReady('service', 'orders');
  expect(drifts(world)).toEqual([]);
});

test('a stop that the spec takes back while the list is old is waited for, and then undone', async () => {
  await using world = await startWorld({ speed: 30, latencyMs: 10_000 });
  await readyService(world);
  await letPass(world, 20_000);
  world.project.faults.add({ kind: 'staleList', operation: 'listServices', ageMs: 8_000 });
  await edit(world, { powerState: 'Stopped' });
  await until('the stop', () => callsOf(world, 'stopService') > 0);
  await edit(world, { powerState: 'Running' });
  await until('the start', () => callsOf(world, 'startService') > 0);
  await world.untilReady('service', 'orders');
  expect([callsOf(world, 'stopService'), callsOf(world, 'startService')]).toEqual([1, 1]);
  expect(drifts(world)).toEqual([]);
});

test('the values of an adopted service are no drift from the service that its object had before', async () => {
  await using world = await startWorld(sharedProject);
  await readyService(world, { environment: 'PROD' });
  await edit(world, { environment: null });
  await world.untilReady('service', 'orders');
  await world.createInCloud('services', { name: 'legacy', cpu_millis: '1000', memory_gbs: '4' });
  const legacy = world.project.everCreated.at(-1)?.id ?? '';
  await letPass(world, 10_000);
  await dropEntry(world, 'orders');
  await world.untilReason('service', 'orders', 'NotBound');
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'managed-db.io/external-id': legacy } },
  });
  await until('the adoption', async () => (await world.service('orders'))?.status?.id === legacy);
  await world.untilReady('service', 'orders');
  expect(drifts(world)).toEqual([]);
});
