import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { fence } from '../../crash/fence.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { letPass } from '../../support/let-pass.ts';
import { fork, replicaSet, secret, service, vpc } from '../../support/manifests.ts';
import { requests } from '../../support/requests.ts';
import { until } from '../../support/until.ts';
import { startWorld } from '../../support/world.ts';
import { isWeekly } from '../../support/weekly.ts';

/** The cost of a creation: each write has a reason, and no other write occurs. */

/** The calls with the name of the ledger entry instead of the uid in it. */

test('with an instant cloud, a creation writes finalizer, entry, pointer, request, answer, connection Secret and state, each once', async () => {
  await using world = await startWorld({ start: false, latencyMs: 0 });
  const watched = fence();
  await world.startedOperator({ intercept: watched.intercept });
  await world.applyUntilReady(vpc('prod'));
  await world.applyUntilReady(service('orders'));
  await world.applyUntilReady(replicaSet('reads', 'orders'));
  expect(watched.calls).toEqual([
    'PATCH managedvpcs/prod #1',
    'POST secrets/managedvpc-* #1',
    'PATCH managedvpcs/prod #2',
    'POST vpcs #1',
    'PATCH secrets/managedvpc-* #1',
    'PATCH managedvpcs/prod/status #1',
    'PATCH managedservices/orders #1',
    'POST secrets/managedservice-* #1',
    'PATCH managedservices/orders #2',
    'POST services #1',
    'PATCH secrets/managedservice-* #1',
    'POST secrets/orders-db #1',
    'PATCH managedservices/orders/status #1',
    'PATCH readreplicasets/reads #1',
    'POST secrets/replicaset-* #1',
    'PATCH readreplicasets/reads #2',
    'POST services/*/replicaSets #1',
    'PATCH secrets/replicaset-* #1',
    'POST secrets/reads-replicas-db #1',
    'PATCH readreplicasets/reads/status #1',
  ]);
});

test('with an instant cloud, a deletion writes the mark, the request, the Secret, the entry and the finalizer', async () => {
  await using world = await startWorld({ start: false, latencyMs: 0 });
  const watched = fence();
  await world.startedOperator({ intercept: watched.intercept });
  await world.applyUntilReady(service('orders'));
  const made = watched.calls.length;
  await world.remove('service', 'orders');
  // A status is written only where the deletion lasts.
  expect(watched.calls.slice(made).filter((call) => !call.includes('/status '))).toEqual([
    'PATCH secrets/managedservice-* #2',
    'DELETE services/* #1',
    'DELETE secrets/orders-db #1',
    'DELETE secrets/managedservice-* #1',
    'PATCH managedservices/orders #3',
    'PATCH secrets/managedservice-* #3',
  ]);
});

test('a creation reads no Secret', async () => {
  await using world = await startWorld({ start: false, latencyMs: 0 });
  const counted = requests();
  await world.startedOperator({ intercept: counted.intercept });
  await world.applyUntilReady(service('orders'));
  await world.sync('service', 'orders');
  const {
    'GET secrets': reads = 0,
    'POST secrets': created,
    'PATCH secrets': patched,
  } = counted.counts();
  expect([reads, created, patched]).toEqual([0, 2, 1]);
});

const deletedTogether =
  'services that are deleted together cost five writes and one read each, and in the cloud the DELETE and at most two GETs';

test.each(isWeekly ? [0, 300] : [300])(
  `${deletedTogether} (lists that take %i ms)`,
  async (delayMs) => {
    await using world = await startWorld({ start: false, latencyMs: 0, speed: 1 });
    const counted = requests();
    await world.startedOperator({ intercept: counted.intercept });
    const names = Array.from({ length: 8 }, (_, n) => `s${n}`);
    await world.apply(...names.map((name) => service(name)));
    for (const name of names) await world.untilReady('service', name);
    for (const operation of ['listServices', 'listReplicaSets'] as const)
      world.project.faults.add({ kind: 'delay', operation, delayMs });
    counted.reset();
    await world.kubectl(['delete', 'managedservices', '--all', '--wait=false']);
    for (const name of names) await world.untilGone('service', name);
    await letPass(world, 1_000); // nothing comes after
    const {
      'GET customresourcedefinitions': definitions = 0,
      'PATCH managedservices/status': told = 0,
      ...others
    } = counted.counts();
    expect(others).toEqual({
      // The connection Secret and the ledger entry.
      'DELETE secrets': 2 * names.length,
      'PATCH managedservices': names.length,
      // A look at each object after its deletion was decided.
      'GET managedservices': names.length,
      // The decision, and the finalizer of the ledger entry.
      'PATCH secrets': 2 * names.length,
    });
    // A GET of each shows its environment before the DELETE. The cloud is quicker than the lists, so none shows the
    // deletion, and another GET for each proves it.
    const gets = callsOf(world, 'getService');
    expect([definitions <= names.length, told <= names.length, gets <= 2 * names.length]).toEqual([
      true,
      true,
      true,
    ]);
  },
);

test.each([true, false])(
  'the Secret has the address, whether the reply to the create has it (%s) or not',
  async (endpointAtOnce) => {
    await using world = await startWorld({ latencyMs: 10_000, endpointAtOnce });
    await world.apply(service('orders'), replicaSet('reads', 'orders'));
    await world.untilReady('replicaSet', 'reads');
    expect((await world.secret('orders-db'))?.['host']).toMatch(/\.db\.example$/u);
    expect((await world.secret('reads-replicas-db'))?.['host']).toMatch(
      /\.replicas\.db\.example$/u,
    );
  },
);

test('children that are created together with a service wait for its VPC, and cost one request', async () => {
  // Children wait at most two minutes for an attachment: that is eight seconds of this test.
  await using world = await startWorld({ speed: 15, latencyMs: 30_000 });
  await world.apply(
    vpc('prod'),
    service('orders', { vpcRef: { name: 'prod' } }),
    fork('drill', 'orders'),
    replicaSet('reads', 'orders'),
  );
  await world.untilReady('service', 'drill');
  await world.untilReady('replicaSet', 'reads');
  const asked = (['attachServiceToVpc', 'forkService', 'createReplicaSet'] as const).map(
    (operation) => callsOf(world, operation),
  );
  expect(asked).toEqual([1, 1, 1]);
});

test('children of a service do not wait for a VPC that it cannot have', async () => {
  await using world = await startWorld();
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'attachServiceToVpc',
    status: 422,
    body: { message: 'no' },
  });
  await world.apply(
    vpc('prod'),
    service('orders', { vpcRef: { name: 'prod' } }),
    replicaSet('reads', 'orders'),
  );
  await world.untilReady('replicaSet', 'reads');
  expect(await world.untilReason('service', 'orders', 'Rejected')).toContain('"no"');
});

test('objects that wait for an attachment continue when the attachment is reported as impossible', async () => {
  await using world = await startWorld();
  world.project.faults.add({ kind: 'ignored', operation: 'attachServiceToVpc' });
  await world.apply(
    vpc('prod'),
    service('orders', { vpcRef: { name: 'prod' } }),
    replicaSet('reads', 'orders'),
  );
  await world.untilReason('service', 'orders', 'NotApplied');
  const at = world.clock.now();
  await until('a replica set to be asked for', () => callsOf(world, 'createReplicaSet') > 0);
  expect(world.clock.now() - at).toBeLessThan(20_000);
});

/** The operator may not change the Secret `pw`. */
const denied: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const isLabel = options.method === 'PATCH' && options.path.includes('/secrets/pw');
  return dispatch(isLabel ? { ...options, path: '/api/v1/nodes/x' } : options, handler);
};

test('a replica set does not wait forever for a service whose object cannot be reconciled', async () => {
  await using world = await startWorld({ start: false });
  await world.startedOperator({ intercept: denied });
  await world.apply(
    secret('pw', { password: 'abcdefgh12345678' }),
    vpc('prod'),
    service('orders', { vpcRef: { name: 'prod' }, password: { secretRef: { name: 'pw' } } }),
    replicaSet('reads', 'orders'),
  );
  await world.untilReady('replicaSet', 'reads');
  expect(await world.untilReason('service', 'orders', 'InternalError')).toContain(
    'Kubernetes refuses to patch secrets',
  );
});

/** A policy of the cluster forbids the operator's writes on objects. */
const policed: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const isWrite =
    options.method === 'PATCH' && /\/managedservices\/orders(?:\?|$)/u.test(options.path);
  if (!isWrite || typeof options.body !== 'string') return dispatch(options, handler);
  // As long as the original body: the headers have its length.
  const body = JSON.stringify({ metadata: { labels: { bad: '!!' } } }).padEnd(
    Buffer.byteLength(options.body),
  );
  return dispatch({ ...options, body }, handler);
};

test('a write that a policy of the cluster forbids is shown on the object', async () => {
  await using world = await startWorld({ start: false });
  await world.startedOperator({ intercept: policed });
  await world.apply(service('orders'));
  expect(await world.untilReason('service', 'orders', 'InternalError')).toContain('HTTP 422');
  expect(world.project.everCreated).toEqual([]);
});
