import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { nameOf } from '../../crash/fence.ts';
import { letPass } from '../../support/let-pass.ts';
import { fork, peering, replicaSet, service, vpc } from '../../support/manifests.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/**
 * A process without the lease sends no change to the cloud, and writes nothing to Kubernetes but the answers of the cloud:
 * the next leader is at work already. (docs/safety.md, the section about the lease)
 */

const changesOf = ({ project }: World) =>
  [...project.commits].filter(([, count]) => count > 0).map(([operation]) => operation);
const isCloudChange = ({ method, path }: Dispatcher.DispatchOptions) =>
  method !== 'GET' && path.startsWith('/projects/');

/** An operator whose lease can be taken from it: by the test, or at the moment when it has a change of the cloud in its hand. */
async function worldWithLease() {
  const world = await startWorld({
    start: false,
    endsRestless: 'what it may not send, it tries again',
  });
  const lease = { held: true, isLostInTime: false };
  const heldBack = new Set<string>();
  let waiting = 0;
  const intercept: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    if (!isCloudChange(options) || !lease.isLostInTime) return dispatch(options, handler);
    lease.held = false;
    waiting += 1;
    heldBack.add(nameOf(options) ?? '');
    return dispatch(options, {
      onRequestStart(controller, context) {
        waiting -= 1;
        handler.onRequestStart?.(controller, context);
      },
      onResponseStart: (controller, status, headers, message) =>
        handler.onResponseStart?.(controller, status, headers, message),
      onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
      onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
      onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
    });
  };
  await world.startedOperator({ leadership: lease, intercept });
  return { world, lease, heldBack, isWaiting: () => waiting > 0 };
}

/** Lets an operator try for a while, and until it has come that far, without ever holding the lease when it comes to a change of the cloud. */
async function tryFor(
  times: number,
  { world, lease, isWaiting }: Awaited<ReturnType<typeof worldWithLease>>,
  hasComeFar: () => boolean,
): Promise<void> {
  for (let time = 0; time < times || !hasComeFar(); time++) {
    await until('the lease to be lost', () => !lease.held);
    await letPass(world, 5_000);
    await until('nothing to wait for its connection', () => !isWaiting());
    lease.held = true;
  }
}

test('a create that waits for its connection when the lease is lost is not sent', async () => {
  const there = await worldWithLease();
  const { world, lease, heldBack } = there;
  await using _ = world;
  await world.applyUntilReady(service('orders'));
  world.project.commits.clear();
  lease.isLostInTime = true;
  await world.apply(
    vpc('prod'),
    service('users'),
    replicaSet('reads', 'orders'),
    fork('copy', 'orders'),
  );
  await tryFor(4, there, () => heldBack.size > 0);
  expect(changesOf(world)).toEqual([]);
  lease.isLostInTime = false;
  await world.untilReady('vpc', 'prod');
});

test('a change and a deletion that wait for their connection when the lease is lost are not sent', async () => {
  const there = await worldWithLease();
  const { world, lease, heldBack } = there;
  await using _ = world;
  await world.apply(
    vpc('prod', { peerings: [peering] }),
    vpc('old'),
    service('orders'),
    service('users'),
    replicaSet('reads', 'orders'),
  );
  for (const name of ['prod', 'old']) await world.untilReady('vpc', name);
  for (const name of ['orders', 'users']) await world.untilReady('service', name);
  await world.untilReady('replicaSet', 'reads');
  world.project.commits.clear();
  lease.isLostInTime = true;
  await world.apply(
    vpc('prod', { name: 'other', peerings: [] }),
    service('orders', {
      cpuMillis: 2000,
      password: { rotation: 'two' },
      powerState: 'Stopped',
      vpcRef: { name: 'prod' },
    }),
    replicaSet('reads', 'orders', { cpuMillis: 2000 }),
  );
  await world.delete('service', 'users');
  await world.delete('vpc', 'old');
  await tryFor(8, there, () => heldBack.has('DELETE services/*'));
  expect(changesOf(world)).toEqual([]);
});

test('a create and a delete of a peering that wait for their connection when the lease is lost are not sent', async () => {
  const there = await worldWithLease();
  const { world, lease, heldBack } = there;
  await using _ = world;
  await world.apply(vpc('prod'), vpc('peered', { peerings: [peering] }));
  for (const name of ['prod', 'peered']) await world.untilReady('vpc', name);
  world.project.commits.clear();
  lease.isLostInTime = true;
  await world.apply(vpc('prod', { peerings: [peering] }), vpc('peered', { peerings: [] }));
  await tryFor(4, there, () => heldBack.size > 1);
  expect(changesOf(world)).toEqual([]);
  expect([...heldBack].toSorted()).toEqual(['DELETE vpcs/*/peerings/*', 'POST vpcs/*/peerings']);
});

test('a password that waits for its connection when the lease is lost is not sent', async () => {
  const there = await worldWithLease();
  const { world, lease, heldBack } = there;
  await using _ = world;
  await world.applyUntilReady(service('orders'));
  world.project.commits.clear();
  lease.isLostInTime = true;
  await world.apply(service('orders', { password: { rotation: 'two' } }));
  await tryFor(2, there, () => heldBack.size > 0);
  expect(changesOf(world)).toEqual([]);
  expect([...heldBack]).toEqual(['POST services/*/updatePassword']);
});

test('without the lease nothing is written to Kubernetes: no record, no status, no Secret, no event', async () => {
  const { world, lease } = await worldWithLease();
  await using _ = world;
  await world.applyUntilReady(service('orders'));
  const seen = async () => [await world.service('orders'), await world.service('users')];
  lease.held = false;
  await world.apply(service('users'));
  const before = await seen();
  await world.kubectl(['delete', 'secret', 'orders-db', '--wait=false']);
  await letPass(world, 60_000);
  expect([await seen(), await world.secret('orders-db')]).toEqual([before, undefined]);
  lease.held = true;
  await world.untilReady('service', 'users');
});
