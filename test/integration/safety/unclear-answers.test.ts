import { expect, test } from 'vitest';
import { managedServices } from '../../../src/resources/managed-service.ts';
import { resourceKey } from '../../../src/runtime/index.ts';
import { callsOf, commitsOf } from '../../support/cloud-calls.ts';
import { letPass } from '../../support/let-pass.ts';
import { replicaSet, service } from '../../support/manifests.ts';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { whileStopped } from '../../support/while-stopped.ts';
import { startWorld } from '../../support/world.ts';

/** After an answer that is not a clear no, nothing is sent before a look that began afterwards. (docs/safety.md, Changing) */

const bigger = { cpuMillis: 2000, memoryGbs: 8 };

test.each(['errorAfter', 'replyLost'] as const)(
  'a resize that is carried out without a proper answer (%s) is requested once',
  async (kind) => {
    await using world = await startWorld({ latencyMs: 5_000, listLagMs: 3_000 });
    await world.apply(service('orders'), replicaSet('reads', 'orders'));
    await world.untilReady('replicaSet', 'reads');
    await letPass(world, 20_000);
    world.project.faults.add({ kind, operation: 'resizeReplicaSet' });
    await world.apply(replicaSet('reads', 'orders', bigger));
    await until(
      'the new size',
      async () => (await world.replicaSet('reads'))?.status?.size === '2000m/8GB',
    );
    await world.untilReady('replicaSet', 'reads');
    expect(commitsOf(world, 'resizeReplicaSet')).toBe(1);
    expect(callsOf(world, 'resizeReplicaSet')).toBe(1);
  },
);

test('a resize that is answered with 409 is requested again only after a list that began later', async () => {
  await using world = await startWorld({ speed: 10, start: false });
  const calls: string[] = [];
  await world.startedOperator({
    intercept: (dispatch) => (options, handler) => {
      if (String(options.origin) === world.simulator.url)
        calls.push(`${options.method} ${options.path.split('/').at(-1)}`);
      return dispatch(options, handler);
    },
  });
  await world.apply(service('orders'), replicaSet('reads', 'orders'));
  await world.untilReady('replicaSet', 'reads');
  await letPass(world, 20_000);
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'resizeReplicaSet',
    status: 409,
    body: { message: 'busy' },
    times: 1,
  });
  const before = calls.length;
  await world.apply(replicaSet('reads', 'orders', bigger));
  await until('the second request', () => callsOf(world, 'resizeReplicaSet') === 2);
  const [first, ...others] = calls
    .slice(before)
    .filter((call) => call === 'POST resize' || call === 'GET services');
  expect([first, others[0]]).toEqual(['POST resize', 'GET services']);
  await world.untilReady('replicaSet', 'reads');
});

test('a change that always fails is shown, and repeated only after lists that show the old value', async () => {
  await using world = await startWorld();
  await readyService(world);
  world.project.faults.add({ kind: 'errorBefore', operation: 'resizeService', status: 500 });
  await world.apply(service('orders', { ...bigger, environment: 'PROD' }));
  expect(await world.untilReason('service', 'orders', 'CloudUnavailable')).toContain('HTTP 500');
  await letPass(world, 60_000);
  expect(callsOf(world, 'resizeService')).toBeGreaterThan(1);
  expect(callsOf(world, 'resizeService')).toBeLessThan(7);
  expect(commitsOf(world, 'setServiceEnvironment')).toBe(1);
  world.project.faults.clear();
  await world.untilReady('service', 'orders');
  expect(commitsOf(world, 'resizeService')).toBe(1);
});

test('a change that the cloud accepted without effect is not repeated after a restart, even if a second change followed', async () => {
  await using world = await startWorld();
  await readyService(world);
  world.project.faults.add({ kind: 'ignored', operation: 'resizeService' });
  await world.apply(service('orders', { ...bigger, environment: 'PROD' }));
  await until('the other change', () => commitsOf(world, 'setServiceEnvironment') === 1);
  await world.untilReason('service', 'orders', 'NotApplied');
  expect(callsOf(world, 'resizeService')).toBe(1);
  await whileStopped(world, () => Promise.resolve());
  await world.sync('service', 'orders');
  expect(await world.untilReason('service', 'orders', 'NotApplied')).toContain(
    '2000 millicores, 8 GB',
  );
  expect(callsOf(world, 'resizeService')).toBe(1);
});

test('the last of many sync requests in a row is answered, and no request causes more than one list', async () => {
  await using world = await startWorld({ speed: 5 });
  await readyService(world);
  await world.sync('service', 'orders');
  const before = callsOf(world, 'listServices');
  const at = world.clock.now();
  for (let times = 0; times < 100; times++) {
    const annotations = { 'reconcile.managed-db.io/requestedAt': `${times}` };
    await world.kubernetes.patch(managedServices, resourceKey(world.namespace, 'orders'), {
      metadata: { annotations },
    });
  }
  await until(
    'the last',
    async () => (await world.service('orders'))?.status?.lastHandledReconcileAt === '99',
  );
  const polls = Math.ceil((world.clock.now() - at) / 50_000);
  expect(callsOf(world, 'listServices') - before).toBeLessThanOrEqual(100 + polls);
});
