import { setTimeout as pause } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { secretsWithData } from '../../../src/resources/connection-secret.ts';
import { managedServices } from '../../../src/resources/managed-service.ts';
import { resourceKey } from '../../../src/runtime/index.ts';
import { callsOf, commitsOf } from '../../support/cloud-calls.ts';
import { noting, objectOf, overlaps, type Change } from '../../support/changes.ts';
import { heldReply } from '../../support/held-reply.ts';
import { inParallel } from '../../support/in-parallel.ts';
import { service } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { shardNamed, sharder } from '../../support/sharder.ts';
import { startWorld, type OperatorOptions, type World } from '../../support/world.ts';
import { isWeekly } from '../../support/weekly.ts';

/** Several processes share the objects by a label that another client writes, at any moment. (docs/safety.md, Several processes act) */

/** Shorter than in earnest. */
const times = { lookMs: 1_000, waitMs: 2_000 };
const apartMs = times.waitMs - times.lookMs;

/** Shards by their names, and their changes in the cloud. */
async function shardsOf(
  world: World,
  names: readonly string[],
  more: (name: string) => OperatorOptions = () => ({}),
) {
  const changes: Change[] = [];
  for (const name of names) {
    const { intercept, ...options } = more(name);
    const note = noting(name, (change) => changes.push(change));
    const both: Dispatcher.DispatcherComposeInterceptor = (dispatch) =>
      intercept ? intercept(note(dispatch)) : note(dispatch);
    const operator = await world.startOperator({
      ...options,
      intercept: both,
      settings: { shard: { ...shardNamed(name), ...times } },
    });
    await operator.started;
  }
  return { changes, by: (name: string) => changes.filter((change) => change.by === name) };
}

const sizeOf = (world: World, id: string) =>
  world.project.stores.service.get(id)?.timeline.at(world.clock.now())?.resources?.[0]?.spec
    ?.cpu_millis;

async function resize(world: World, name: string, cpuMillis: number): Promise<void> {
  await world.kubernetes.patch(managedServices, resourceKey(world.namespace, name), {
    spec: { cpuMillis, memoryGbs: cpuMillis / 250 },
  });
}

test('each shard reconciles the objects with its label, and no shard reconciles the rest', async () => {
  await using world = await startWorld({ start: false });
  const { by } = await shardsOf(world, ['a', 'b']);
  const { give } = sharder(world);
  await world.apply(service('orders'), service('users'), service('carts'));
  await Promise.all([give('orders', 'a'), give('users', 'b')]);
  for (const name of ['orders', 'users']) await world.untilReady('service', name);
  expect([by('a'), by('b')].map((own) => own.map(({ of }) => objectOf(world.project)(of)))).toEqual(
    [['orders'], ['users']],
  );
  expect((await world.service('carts'))?.metadata).not.toHaveProperty('finalizers');
  await give('carts', 'b');
  await world.untilReady('service', 'carts');
  expect(by('a')).toHaveLength(1);
});

test('an object that is drained is let go once nothing of it is under way, and the next shard goes on with it', async () => {
  await using world = await startWorld({ start: false });
  const reply = heldReply(({ method, path }) => method === 'POST' && path.endsWith('/services'));
  const { changes } = await shardsOf(world, ['a', 'b'], (name) =>
    name === 'a' ? { intercept: reply.intercept } : {},
  );
  const { give, drain, untilLetGo, shardOf } = sharder(world);
  await world.apply(service('orders'));
  await give('orders', 'a');
  await reply.answered;
  await drain('orders');
  await pause(times.waitMs);
  expect(await shardOf('orders')).toBe('a');
  reply.release();
  await untilLetGo('orders');
  expect(await recordOf(world, await world.service('orders'))).toMatchObject({
    id: world.project.everCreated[0]?.id,
  });
  await resize(world, 'orders', 2000);
  await give('orders', 'b');
  await world.untilReady('service', 'orders');
  expect(changes.map(({ by, what }) => `${what} by ${by}`)).toEqual([
    'create by a',
    'POST resize by b',
  ]);
});

test('a shard that has a change in hand when it loses the object does not send it', async () => {
  await using world = await startWorld({ start: false });
  const state = { isReady: false };
  // The look before the change.
  const look = heldReply(
    ({ method, path }) =>
      state.isReady && method === 'GET' && path.endsWith('/managedservices/orders'),
  );
  const { changes } = await shardsOf(world, ['a', 'b'], (name) =>
    name === 'a' ? { intercept: look.intercept } : {},
  );
  const { give } = sharder(world);
  await world.apply(service('orders'));
  await give('orders', 'a');
  await world.untilReady('service', 'orders');
  state.isReady = true;
  await resize(world, 'orders', 2000);
  await look.answered;
  await give('orders', 'b');
  await resize(world, 'orders', 4000);
  await world.untilReady('service', 'orders');
  look.release();
  await pause(times.lookMs);
  expect(changes.map(({ by, what }) => `${what} by ${by}`)).toEqual([
    'create by a',
    'POST resize by b',
  ]);
  expect(sizeOf(world, world.project.everCreated[0]?.id ?? '')).toBe(4000);
});

test('a shard that waits for the cloud when it loses the object does nothing with what it then sees', async () => {
  await using world = await startWorld({ start: false });
  const list = heldReply(({ method, path }) => method === 'GET' && path.endsWith('/services'));
  await shardsOf(world, ['a', 'b'], (name) => (name === 'b' ? { intercept: list.intercept } : {}));
  const { give } = sharder(world);
  await world.apply(service('orders'));
  await give('orders', 'a');
  await world.untilReady('service', 'orders');
  await give('orders', 'b');
  await list.answered;
  const secret = resourceKey(world.namespace, 'orders-db');
  await world.kubernetes.patch(secretsWithData, secret, {
    data: { host: Buffer.from('wrong').toString('base64') },
  });
  await give('orders', 'nobody');
  await pause(times.lookMs);
  list.release();
  await pause(times.lookMs);
  expect((await world.secret('orders-db'))?.['host']).toBe('wrong');
});

test('a create whose shard loses the object before its answer makes one service, with the password in its Secret', async () => {
  await using world = await startWorld({ start: false });
  const reply = heldReply(({ method, path }) => method === 'POST' && path.endsWith('/services'));
  await shardsOf(world, ['a', 'b'], (name) => (name === 'a' ? { intercept: reply.intercept } : {}));
  const { give } = sharder(world);
  await world.apply(service('orders'));
  await give('orders', 'a');
  await reply.answered;
  await give('orders', 'b');
  await world.untilReady('service', 'orders');
  reply.release();
  await pause(times.waitMs);
  expect(callsOf(world, 'createService')).toBe(1);
  const id = (await world.service('orders'))?.status?.id ?? '';
  expect((await world.secret('orders-db'))?.['password']).toBe(
    world.project.stores.service.get(id)?.password,
  );
});

const anyOf = <T>(all: readonly T[]) => all[Math.floor(Math.random() * all.length)];

/** Keeps all that a process says from going out, and all that it would hear, for as long as it is frozen. */
function freezer() {
  let thawed: Promise<void> | undefined;
  const later = (act: () => void) => (thawed ? void thawed.then(act) : act());
  const intercept: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    later(() =>
      dispatch(options, {
        onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
        onResponseStart: (controller, status, headers, message) =>
          later(() => handler.onResponseStart?.(controller, status, headers, message)),
        onResponseData: (controller, chunk) =>
          later(() => handler.onResponseData?.(controller, chunk)),
        onResponseEnd: (controller, trailers) =>
          later(() => handler.onResponseEnd?.(controller, trailers)),
        onResponseError: (controller, error) =>
          later(() => handler.onResponseError?.(controller, error)),
      }),
    );
    return true;
  };
  return {
    intercept,
    freeze() {
      const { promise, resolve } = Promise.withResolvers<void>();
      thawed = promise;
      return () => {
        thawed = undefined;
        resolve();
      };
    },
  };
}

// In each run, the simulation moves the labels in its story of shards.
test.runIf(isWeekly)(
  'three shards, labels moved at random, one frozen, one killed: one of everything, and never two owners',
  { timeout: 180_000 },
  async () => {
    await using world = await startWorld({
      start: false,
      endsRestless: 'the one that was killed hears nothing any more',
    });
    const names = Array.from({ length: 12 }, (_, index) => `orders-${index}`);
    const freezers = new Map(['a', 'b', 'c'].map((name) => [name, freezer()]));
    const dead = new Set<string>();
    const { changes } = await shardsOf(world, ['a', 'b', 'c'], (name) => ({
      intercept: freezers.get(name)?.intercept ?? ((dispatch) => dispatch),
      isDead: () => dead.has(name),
    }));
    const { give, drain, untilLetGo, shardOf } = sharder(world);
    let alive = ['a', 'b', 'c'];
    const ending = new AbortController();
    /** Gives each object without a living shard to a living shard. */
    const share = () =>
      inParallel(
        names,
        4,
        async (name) =>
          !alive.includes((await shardOf(name)) ?? '') && (await give(name, anyOf(alive) ?? 'a')),
      );
    /** Moves an object now and then: by a drain, or directly. */
    const move = async () => {
      while (!ending.signal.aborted) {
        await pause(500);
        const name = anyOf(names) ?? '';
        if (alive.includes((await shardOf(name)) ?? '') && Math.random() < 0.5) {
          await drain(name);
          await untilLetGo(name);
        }
        await give(name, anyOf(alive) ?? 'a');
        await share();
      }
    };

    await world.apply(...names.map((name) => service(name)));
    await Promise.all(names.map((name, index) => give(name, ['a', 'b', 'c'][index % 3] ?? 'a')));
    const moving = move();
    await inParallel(names, 12, (name) => world.untilReady('service', name));

    await inParallel(names, 4, (name) => resize(world, name, 2000));
    const thaw = freezers.get('b')?.freeze();
    alive = ['a', 'c'];
    await share();
    await pause(3 * times.waitMs);
    thaw?.();
    alive = ['a', 'b', 'c'];
    await inParallel(names, 12, (name) => world.untilReady('service', name));

    await inParallel(names, 4, (name) => resize(world, name, 4000));
    freezers.get('c')?.freeze();
    dead.add('c');
    alive = ['a', 'b'];
    await share();
    const gone = names.slice(0, 4);
    await inParallel(gone, 4, (name) =>
      world.kubernetes.delete<unknown>(managedServices, resourceKey(world.namespace, name)),
    );
    await inParallel(gone, 4, (name) => world.untilGone('service', name));
    ending.abort();
    await moving;
    const left = names.slice(4);
    await share();
    await inParallel(left, 12, (name) => world.untilReady('service', name));

    expect(overlaps(changes, apartMs, objectOf(world.project))).toEqual([]);
    expect(new Set(changes.map(({ by }) => by))).toEqual(new Set(['a', 'b', 'c']));
    expect(commitsOf(world, 'createService')).toBe(names.length);
    expect(commitsOf(world, 'deleteService')).toBe(gone.length);
    expect(commitsOf(world, 'resizeService')).toBeLessThanOrEqual(2 * names.length);
    for (const name of left) {
      const id = (await world.service(name))?.status?.id ?? '';
      expect(sizeOf(world, id)).toBe(4000);
      expect((await world.secret(`${name}-db`))?.['password']).toBe(
        world.project.stores.service.get(id)?.password,
      );
    }
  },
);
