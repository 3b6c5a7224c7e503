import { expect, test } from 'vitest';
import { fence } from '../../crash/fence.ts';
import { force } from '../../../src/simulator/store.ts';
import { commitsOf } from '../../support/cloud-calls.ts';
import { peering, replicaSet, service, vpc } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { untilTold } from '../../support/until-told.ts';
import { startWorld, type World } from '../../support/world.ts';

/**
 * The operator's reports are true: on changes made elsewhere, on suspended objects, and on refusals.
 * (docs/safety.md, Changing)
 */

/** Waits for two reconciles, so that the first has made all its reports. */
async function lookTwice(world: World): Promise<void> {
  await world.sync('service', 'orders');
  await world.sync('service', 'orders');
}

const toldOfDrift = (world: World) =>
  world.log.filter((line) => line.includes('changed elsewhere'));

test.concurrent('an edit of the spec from a shared size to numbers is not reported as drift', async () => {
  await using world = await startWorld();
  await readyService(world, { cpuMillis: 'shared', memoryGbs: 'shared' });
  await world.sync('service', 'orders');
  await world.apply(service('orders', { cpuMillis: 1000, memoryGbs: 4 }));
  await until('the resize', () => commitsOf(world, 'resizeService') === 1);
  await world.untilReady('service', 'orders');
  await lookTwice(world);
  expect(toldOfDrift(world)).toEqual([]);
});

test.concurrent('a change of the operator that ends while the object is suspended is not reported as drift', async () => {
  await using world = await startWorld({ speed: 30, latencyMs: 20_000 });
  await readyService(world);
  const bigger = { cpuMillis: 2000, memoryGbs: 8 };
  await world.apply(service('orders', bigger));
  await until('the resize', () => commitsOf(world, 'resizeService') === 1);
  await world.apply(service('orders', { ...bigger, suspend: true }));
  await until(
    'the new size',
    async () => (await world.service('orders'))?.status?.size === '2000m/8GB',
  );
  await lookTwice(world);
  expect(toldOfDrift(world)).toEqual([]);
});

test.concurrent('drift on an object that is being deleted is not reported as being corrected', async () => {
  await using world = await startWorld();
  await world.apply(service('orders'), replicaSet('reads', 'orders'));
  await world.untilReady('replicaSet', 'reads');
  const id = (await world.service('orders'))?.status?.id ?? '';
  await world.sync('service', 'orders');
  await world.delete('service', 'orders');
  await world.untilReason('service', 'orders', 'DeletionBlocked');
  expect(
    await world.createInCloud(`services/${id}/resize`, { cpu_millis: '2000', memory_gbs: '8' }),
  ).toBe(202);
  await untilTold(
    world,
    'cpuMillis/memoryGbs was changed elsewhere from 1000m/4GB to 2000m/8GB; it stays: this object is being deleted',
  );
  expect(commitsOf(world, 'resizeService')).toBe(1);
});

test.concurrent('a suspended service that is gone from the cloud is not Ready', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await world.apply(service('orders', { suspend: true }));
  await world.untilReason('service', 'orders', 'Suspended');
  force(world.project, { kind: 'service', id, status: undefined });
  await until(
    'it to be not ready',
    async () => (await world.service('orders'))?.status?.conditions?.[0]?.status === 'False',
  );
  expect((await world.service('orders'))?.status?.conditions?.[1]).toMatchObject({
    type: 'Synced',
    reason: 'Suspended',
  });
});

test.concurrent('a suspended object changes nothing, whatever drifts', async () => {
  await using world = await startWorld();
  await world.apply(vpc('prod', { peerings: [peering] }), service('orders'));
  await world.untilReady('service', 'orders');
  await world.untilReady('vpc', 'prod');
  const wanted = service('orders', { suspend: true, cpuMillis: 2000, password: { rotation: 'x' } });
  await world.apply(vpc('prod', { peerings: [], suspend: true }), wanted);
  await world.untilReason('vpc', 'prod', 'Suspended');
  expect(await world.untilReason('service', 'orders', 'Suspended')).toContain(
    'it differs: password, cpuMillis/memoryGbs is 1000m/4GB, not 2000m/4GB',
  );
  const { metadata, status } = (await world.service('orders')) ?? {};
  expect(status).toMatchObject({
    observedGeneration: metadata?.generation,
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Synced', status: 'False', reason: 'Suspended' },
    ],
  });
  await world.kubectl(['delete', '--wait=false', 'secret', 'orders-db']);
  const commits = [...world.project.commits];
  await world.sync('vpc', 'prod');
  await world.sync('service', 'orders');
  expect([...world.project.commits]).toEqual(commits);
  expect((await recordOf(world, await world.vpc('prod'))).peerings).not.toEqual({});
});

test.concurrent('a refused change is shown together with the next step, not in a write of its own', async () => {
  await using world = await startWorld({ start: false });
  const watched = fence();
  await world.startedOperator({ intercept: watched.intercept });
  await readyService(world);
  await world.sync('service', 'orders');
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'resizeService',
    status: 422,
    body: { message: 'too big' },
  });
  const before = watched.calls.length;
  await world.apply(service('orders', { cpuMillis: 64_000, environment: 'PROD' }));
  await world.untilReason('service', 'orders', 'Rejected');
  const writes = watched.calls.slice(before).map((call) => call.replace(/ #\d+$/u, ''));
  expect(writes.slice(0, 3)).toEqual([
    'POST services/*/resize',
    'POST services/*/setEnvironment',
    'PATCH managedservices/orders/status',
  ]);
});

test.concurrent('a rotation that is asked for while the service is stopped, or not well, is told', async () => {
  await using world = await startWorld();
  const id = await readyService(world, { password: { rotation: 'one' } });
  await world.sync('service', 'orders');
  force(world.project, { kind: 'service', id, status: 'UNSTABLE' });
  await world.apply(service('orders', { password: { rotation: 'two' } }));
  await untilSays(world, '(UNSTABLE); then: password');
  const before = commitsOf(world, 'updateServicePassword');
  force(world.project, { kind: 'service', id, status: 'READY' });
  await until('the rotation', () => commitsOf(world, 'updateServicePassword') === before + 1);
  await world.untilReady('service', 'orders');
  await world.apply(service('orders', { powerState: 'Stopped', password: { rotation: 'two' } }));
  await world.untilReason('service', 'orders', 'Stopped');
  await world.apply(service('orders', { powerState: 'Stopped', password: { rotation: 'three' } }));
  await untilSays(world, 'the service is stopped, as asked; when it runs again: password');
  expect(commitsOf(world, 'updateServicePassword')).toBe(before + 1);
});

async function untilSays(world: World, words: string): Promise<void> {
  await until(
    words,
    async () =>
      (await world.service('orders'))?.status?.conditions?.[1]?.message.includes(words) === true,
  );
}

test.concurrent('a request to look that is a very long text is answered, and status does not repeat it', async () => {
  await using world = await startWorld();
  await readyService(world);
  const handled = async () => (await world.service('orders'))?.status?.lastHandledReconcileAt;
  const ask = (text: string) =>
    world.apply(
      service('orders', {}, { 'reconcile.managed-db.io/requestedAt': text.repeat(100_000) }),
    );
  await ask('a');
  const first = await until('the answer', handled);
  await ask('b');
  const second = await until('the next one', async () => {
    const now = await handled();
    return now === first ? undefined : now;
  });
  expect([first.length, second?.length]).toEqual([71, 71]);
});
