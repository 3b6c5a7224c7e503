import { setTimeout as pause } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { secretsWithData } from '../../../src/resources/connection-secret.ts';
import { managedServices } from '../../../src/resources/managed-service.ts';
import { resourceKey } from '../../../src/runtime/index.ts';
import { commitsOf } from '../../support/cloud-calls.ts';
import { heldReply } from '../../support/held-reply.ts';
import { fork, service } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { shardNamed, sharder } from '../../support/sharder.ts';
import { until } from '../../support/until.ts';
import { startWorld, type OperatorOptions, type World } from '../../support/world.ts';
import { isWeekly } from '../../support/weekly.ts';

/** Shards, lists of the cloud that lag, and labels that come back. (docs/safety.md, Several processes act) */

const times = { lookMs: 1_000, waitMs: 2_000 };

async function startShards(
  world: World,
  names: readonly string[],
  more: (name: string) => OperatorOptions = () => ({}),
) {
  for (const name of names) {
    const operator = await world.startOperator({
      ...more(name),
      settings: { shard: { ...shardNamed(name), ...times } },
    });
    await operator.started;
  }
}

/** deletion.test.ts has a single process, with a fork that begins after the last look for dependents, in each run. */
const processes: readonly (readonly [string, readonly string[]])[] = [
  ['two shards', ['a', 'b']],
  ['one process', ['']],
];

test.each(isWeekly ? processes : processes.slice(0, 1))(
  '%s: a service is not deleted while a new fork of it is copied, which no list shows yet',
  async (_, names) => {
    // Policy seconds of the lag are longer than a DELETE needs, and shorter than the allowed ten.
    await using world = await startWorld({
      start: false,
      speed: 5,
      latencyMs: 60_000,
      listLagMs: 8_000,
      endsRestless: 'the fork is copied for long',
    });
    const { give } = sharder(world);
    if (names.length > 1) await startShards(world, names);
    else await (await world.startOperator()).started;
    await world.apply(service('orders'));
    await give('orders', 'a');
    await world.untilReady('service', 'orders');
    await world.apply(fork('copy', 'orders'));
    await give('copy', 'b');
    await until(
      'the fork to be recorded',
      async () => (await recordOf(world, await world.service('copy'))).id !== undefined,
    );
    await world.kubernetes.delete<unknown>(managedServices, resourceKey(world.namespace, 'orders'));
    await pause(4_000);
    expect(commitsOf(world, 'deleteService')).toBe(0);
  },
);

test('a shard that gets an object back while it waits for the cloud writes no Secret by what it saw before', async () => {
  await using world = await startWorld({ start: false });
  const list = heldReply(({ method, path }) => method === 'GET' && path.endsWith('/services'));
  const written: string[] = [];
  const noting =
    (name: string): Dispatcher.DispatcherComposeInterceptor =>
    (dispatch) =>
    (options, handler) => {
      if (options.method === 'PUT' && options.path.includes('/secrets/')) written.push(name);
      return dispatch(options, handler);
    };
  await startShards(world, ['a', 'b'], (name) => ({
    intercept: (dispatch) => noting(name)(name === 'b' ? list.intercept(dispatch) : dispatch),
  }));
  const { give } = sharder(world);
  await world.apply(service('orders'));
  await give('orders', 'a');
  await world.untilReady('service', 'orders');
  await give('orders', 'b');
  await list.answered;
  await give('orders', 'a');
  await pause(2 * times.waitMs);
  await give('orders', 'b');
  await pause(200);
  written.length = 0;
  const host = Buffer.from('wrong').toString('base64');
  await world.kubernetes.patch(secretsWithData, resourceKey(world.namespace, 'orders-db'), {
    data: { host },
  });
  list.release();
  await pause(times.lookMs);
  expect(written).toEqual([]);
});

test('a service whose deletion cannot be compared with what other shards have says so', async () => {
  const refused = new Set<string>();
  const refusing: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    const isList =
      options.method === 'GET' &&
      options.path.endsWith('/readreplicasets') &&
      String(options.query?.['watch']) !== 'true';
    if (isList && refused.size > 0) options.path = `${options.path}-of-nobody`;
    return dispatch(options, handler);
  };
  await using world = await startWorld({ start: false, endsRestless: 'the DELETE waits' });
  await startShards(world, ['a'], () => ({ intercept: refusing }));
  const { give } = sharder(world);
  await world.apply(service('orders'));
  await give('orders', 'a');
  await world.untilReady('service', 'orders');
  refused.add('lists');
  await world.kubernetes.delete<unknown>(managedServices, resourceKey(world.namespace, 'orders'));
  expect(await world.untilReason('service', 'orders', 'InternalError')).toContain(
    'compare all objects',
  );
  expect(commitsOf(world, 'deleteService')).toBe(0);
});
