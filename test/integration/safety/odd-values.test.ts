import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { fieldOf } from '../../../src/cloud/fields.ts';
import { commitsOf } from '../../support/cloud-calls.ts';
import { replicaSet, service, vpc } from '../../support/manifests.ts';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { startWorld } from '../../support/world.ts';

/** An odd value in a reply of the cloud concerns only its resource. (docs/safety.md, Creating exactly once) */

type Odd = Map<string, object>;

/** Replies show each resource in the map with these values. The key `new` stands for the result of a POST. */
function showing(odd: Odd): Dispatcher.DispatcherComposeInterceptor {
  const changed = (value: unknown, isNew: boolean): unknown => {
    if (Array.isArray(value)) return value.map((each) => changed(each, isNew));
    if (typeof value !== 'object' || value === null) return value;
    const inner = Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, changed(each, false)]),
    );
    const id = fieldOf(value, 'service_id') ?? fieldOf(value, 'id');
    return { ...inner, ...odd.get(String(id)), ...(isNew && odd.get('new')) };
  };
  return (dispatch) => (options, handler) => {
    // Other requests are for Kubernetes, whose watches do not end.
    if (!options.path.startsWith('/projects/')) return dispatch(options, handler);
    const chunks: Buffer[] = [];
    return dispatch(options, {
      onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
      onResponseStart: (controller, status, headers, message) =>
        handler.onResponseStart?.(controller, status, headers, message),
      onResponseData: (_controller, chunk) => void chunks.push(chunk),
      onResponseEnd(controller, trailers) {
        const body = Buffer.concat(chunks).toString('utf8');
        const isNew = options.method === 'POST' && options.path.endsWith('/services');
        const text = body === '' ? body : JSON.stringify(changed(JSON.parse(body), isNew));
        handler.onResponseData?.(controller, Buffer.from(text));
        handler.onResponseEnd?.(controller, trailers);
      },
      onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
    });
  };
}

async function oddWorld() {
  const odd: Odd = new Map();
  const world = await startWorld({ speed: 20, start: false });
  await world.startOperator({ intercept: showing(odd) });
  return Object.assign(world, { odd });
}

test.concurrent.each([
  ['usage figures', { metrics: { memory_mb: '812', storage_mb: 'n/a' } }],
  ['state', { status: 7 }],
  ['endpoint and size', { endpoint: 'soon', resources: 'large' }],
])(
  'with odd %s of a foreign service, services are created, changed and deleted',
  async (_what, values) => {
    await using world = await oddWorld();
    await readyService(world, {}, 'old');
    await readyService(world);
    expect(
      await world.createInCloud('services', {
        name: 'theirs',
        cpu_millis: '1000',
        memory_gbs: '4',
      }),
    ).toBe(202);
    world.odd.set(world.project.everCreated.at(-1)?.id ?? '', values);
    await world.apply(service('new', { name: 'new' }));
    await world.patch('service', 'orders', { spec: { cpuMillis: 2000, memoryGbs: 8 } });
    await world.delete('service', 'old');
    await world.untilReady('service', 'new');
    await until('the resize', () => commitsOf(world, 'resizeService') === 1);
    await world.untilGone('service', 'old');
  },
);

test.concurrent('a service with an odd state reports its id and the field, and continues once the cloud shows its state', async () => {
  await using world = await oddWorld();
  const id = await readyService(world);
  world.odd.set(id, { status: 7 });
  await world.patch('service', 'orders', { spec: { cpuMillis: 2000, memoryGbs: 8 } });
  const message = await world.untilReason('service', 'orders', 'UnexpectedReply');
  expect(message).toBe(
    `the cloud's reply could not be understood (status of ${id}: expected string); the operator retries`,
  );
  expect(commitsOf(world, 'resizeService')).toBe(0);
  // The read right before the change may come before the next list.
  const logged = `a reply of the cloud does not fit the document of its API: status of ${id}: expected string`;
  await until('the log of the list', () => world.log.some((line) => line.includes(logged)));
  world.odd.clear();
  await until('the resize', () => commitsOf(world, 'resizeService') === 1);
  await world.untilReady('service', 'orders');
});

test.concurrent('a service that cannot be read holds its VPC, and a replica set that cannot be read holds its service', async () => {
  await using world = await oddWorld();
  await world.apply(
    vpc('prod'),
    service('orders', { vpcRef: { name: 'prod' } }),
    replicaSet('reads', 'orders'),
  );
  await world.untilReady('replicaSet', 'reads');
  world.odd.set((await world.replicaSet('reads'))?.status?.id ?? '', { nodes: 'two' });
  await world.delete('service', 'orders');
  expect(await world.untilReason('service', 'orders', 'DeletionBlocked')).toContain(
    '1 replica set',
  );
  world.odd.set((await world.service('orders'))?.status?.id ?? '', { endpoint: [] });
  await world.delete('vpc', 'prod');
  expect(await world.untilReason('vpc', 'prod', 'Deleting')).toContain('1 attached service');
  expect([commitsOf(world, 'deleteService'), commitsOf(world, 'deleteVpc')]).toEqual([0, 0]);
});

test.concurrent('a service whose create is answered with odd values has its id and its first password', async () => {
  await using world = await oddWorld();
  world.odd.set('new', { endpoint: 'soon', metrics: { memory_mb: 'x' }, ha_replicas: 1 });
  await world.applyUntilReady(service('orders', { name: 'orders' }));
  const [created] = world.project.everCreated;
  expect((await world.service('orders'))?.status?.id).toBe(created?.id);
  const password = world.project.stores.service.get(created?.id ?? '')?.password;
  expect((await world.secret('orders-db'))?.['password']).toBe(password);
  expect([world.project.everCreated.length, commitsOf(world, 'updateServicePassword')]).toEqual([
    1, 0,
  ]);
});
