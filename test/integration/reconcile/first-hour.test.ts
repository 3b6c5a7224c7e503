import { expect, test } from 'vitest';
import { secretsWithData } from '../../../src/resources/connection-secret.ts';
import { resourceKey } from '../../../src/runtime/index.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { answers } from '../../attack/rights/answers.ts';
import { letPass } from '../../support/let-pass.ts';
import { secret, service } from '../../support/manifests.ts';
import { force } from '../../../src/simulator/store.ts';
import { readyOf } from '../../../src/resources/condition.ts';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { startWorld } from '../../support/world.ts';

/** Mistakes of the first hour: the operator names the way out, and notices the correction soon. */

test('a service notices within seconds that the Secret in the way of its own is gone', async () => {
  await using world = await startWorld({ start: false });
  const told = answers();
  await world.startedOperator({ intercept: told.listenTo('it') });
  const watches = () => told.times(`it GET /api/v1/namespaces/${world.namespace}/secrets 200`);
  await world.apply(secret('orders-db', { mine: 'x' }));
  const before = watches();
  await world.apply(service('orders'));
  await world.untilReason('service', 'orders', 'SecretConflict');
  await until('the watch of the Secrets', () => watches() > before);
  // At this speed, the next visit without a reason is a minute away.
  world.clock.runAt(1);
  await world.kubernetes.delete(secretsWithData, resourceKey(world.namespace, 'orders-db'));
  await world.untilReady('service', 'orders');
  expect(callsOf(world, 'createService')).toBe(1);
});

test('an object whose annotations leave no room for that of the operator has the message of Kubernetes', async () => {
  await using world = await startWorld();
  await world.apply(service('orders', {}, { note: 'x'.repeat(262_100) }));
  expect(await world.untilReason('service', 'orders', 'InternalError')).toContain(
    'metadata.annotations: Too long',
  );
  expect(callsOf(world, 'createService')).toBe(0);
});

test('an edit, a deletion and a new object say within seconds that the cloud does not answer, and a serving database stays Ready', async () => {
  await using world = await startWorld({ speed: 1, latencyMs: 10 });
  await readyService(world);
  await readyService(world, {}, 'old');
  for (const operation of ['listServices', 'getService', 'createService', 'deleteService'] as const)
    world.project.faults.add({ kind: 'delay', operation, delayMs: 15_000 });
  const begun = performance.now();
  await world.apply(service('orders', { cpuMillis: 2000, memoryGbs: 8 }), service('new'));
  await world.delete('service', 'old');
  for (const name of ['orders', 'new', 'old'])
    expect(await world.untilReason('service', name, 'WaitingForCloud')).toContain(
      'has not answered',
    );
  expect(performance.now() - begun).toBeLessThan(10_000);
  expect(readyOf((await world.service('orders')) ?? {})).toMatchObject({
    status: 'True',
    reason: 'Available',
  });
  world.project.faults.clear();
  world.clock.runAt(60);
  await until('the deletion', async () => (await world.service('old')) === undefined);
  for (const name of ['orders', 'new']) await world.untilReady('service', name);
  expect(world.project.everCreated.length).toBe(3);
});

test('a create and a change that the cloud refused are asked again at once when a user requests it', async () => {
  await using world = await startWorld({ latencyMs: 10 });
  const refuse = (operation: 'createService' | 'resizeService') =>
    world.project.faults.add({
      kind: 'errorBefore',
      operation,
      status: 400,
      body: { message: 'project quota exceeded' },
    });
  refuse('createService');
  await world.apply(service('orders'));
  const refusal = /project quota exceeded.*; tried again at \d\d:\d\d UTC/u;
  expect(await world.untilReason('service', 'orders', 'Rejected')).toMatch(refusal);
  world.clock.runAt(1);
  world.project.faults.clear();
  await world.sync('service', 'orders');
  await world.untilReady('service', 'orders');
  refuse('resizeService');
  await world.apply(service('orders', { cpuMillis: 2000, memoryGbs: 8 }));
  expect(await world.untilReason('service', 'orders', 'Rejected')).toMatch(refusal);
  world.project.faults.clear();
  world.clock.runAt(60); // no two requests of a user within ten seconds
  await letPass(world, 11_000);
  world.clock.runAt(1);
  const before = callsOf(world, 'resizeService');
  await world.sync('service', 'orders');
  await world.untilReady('service', 'orders');
  expect(callsOf(world, 'resizeService') - before).toBe(1);
});

test('the second of two objects with a shared spec.name gets an event that names the first', async () => {
  await using world = await startWorld();
  await readyService(world, { name: 'shared' });
  const { id } = (await world.service('orders'))?.status ?? {};
  await world.applyUntilReady(service('copy', { name: 'shared' }));
  expect(await world.untilEvent('copy', 'SameNameExists')).toContain(
    `another object has a service named "shared" in this project, too: ${id}`,
  );
});

test('a project without any service is told of by each Lost service: the key or the URL may be wrong', async () => {
  await using world = await startWorld();
  for (const name of ['orders', 'billing']) await readyService(world, {}, name);
  for (const { id } of world.project.everCreated)
    force(world.project, { kind: 'service', id, status: undefined });
  for (const name of ['orders', 'billing'])
    expect(await world.untilReason('service', name, 'Lost')).toContain(
      'as are all services: check API key',
    );
});
