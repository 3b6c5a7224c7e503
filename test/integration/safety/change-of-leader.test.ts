import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { allowLease, lease, leaseIn } from '../../crash/replica.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { letPass } from '../../support/let-pass.ts';
import { service } from '../../support/manifests.ts';
import { until } from '../../support/until.ts';
import { whileStopped } from '../../support/while-stopped.ts';
import { startWorld, type World } from '../../support/world.ts';

/**
 * A new leader knows the last writes of the previous leader before its first reconcile.
 * (docs/safety.md, the section about the lease)
 */

/** Watches that hear nothing more, as behind a network that swallows everything, until they are broken. */
function deafWatches() {
  const state = { isDeaf: false };
  const streams = new Set<Dispatcher.DispatchController>();
  const intercept: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    const isWatch = options.query?.['watch'] !== undefined;
    if (!isWatch) return dispatch(options, handler);
    return dispatch(options, {
      onRequestStart(controller, context) {
        streams.add(controller);
        handler.onRequestStart?.(controller, context);
      },
      onResponseStart: (controller, status, headers, message) =>
        handler.onResponseStart?.(controller, status, headers, message),
      onResponseData(controller, chunk) {
        if (!state.isDeaf) handler.onResponseData?.(controller, chunk);
      },
      onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
      onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
    });
  };
  return {
    intercept,
    deafen: () => void (state.isDeaf = true),
    break() {
      state.isDeaf = false;
      for (const stream of streams)
        stream.abort(Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }));
    },
  };
}

const electionOf = (world: World, identity: string) => ({
  leaderElection: {
    namespace: world.namespace,
    name: 'operator',
    identity,
    leaseDurationMs: lease.durationMs,
    renewDeadlineMs: lease.deadlineMs,
    retryPeriodMs: lease.retryMs,
  },
});

test('a replica with silent watches that gets the lease works nothing until its caches have caught up', async () => {
  await using world = await startWorld({ start: false });
  await allowLease(world);
  const first = await world.startedOperator({ settings: electionOf(world, 'first') });
  const watches = deafWatches();
  const second = await world.startOperator({
    settings: electionOf(world, 'second'),
    intercept: watches.intercept,
  });
  const state = { works: false };
  const works = second.started.then(() => (state.works = true));
  await until('the second to stand by', () =>
    world.log.some((line) => line.includes('standing by') && line.includes('second')),
  );
  watches.deafen();
  await world.applyUntilReady(service('orders'));
  await first.stop(2_000);
  await until(
    'the second to have the lease',
    async () => (await leaseIn(world)).holder === 'second',
  );
  await letPass(world, 60_000);
  expect(state.works).toBe(false);
  watches.break();
  await works;
  await world.sync('service', 'orders');
  expect(world.project.everCreated).toHaveLength(1);
});

test('a change that an operator requested before it stopped is not repeated by the next operator, although lists lag', async () => {
  await using world = await startWorld({ listLagMs: 20_000, latencyMs: 60_000 });
  await world.applyUntilReady(service('orders'));
  await whileStopped(world, async () => {
    await world.apply(service('orders', { cpuMillis: 2000, memoryGbs: 8 }));
    const ending = await world.startOperator();
    await until('the change', () => callsOf(world, 'resizeService') === 1);
    await ending.stop(10_000);
  });
  await world.untilReady('service', 'orders');
  expect([callsOf(world, 'resizeService'), (await world.service('orders'))?.status?.size]).toEqual([
    1,
    '2000m/8GB',
  ]);
});

test('a deletion that an operator requested before it stopped is shown by the next operator', async () => {
  await using world = await startWorld({ deleteLatencyMs: 600_000 });
  await world.applyUntilReady(service('orders'));
  await whileStopped(world, async () => {
    await world.delete('service', 'orders');
    const ending = await world.startOperator();
    await until('the deletion', () => callsOf(world, 'deleteService') === 1);
    await ending.stop(10_000);
  });
  expect(await world.untilReason('service', 'orders', 'Deleting')).toContain(
    'the cloud is deleting the service',
  );
  await world.untilGone('service', 'orders');
});
