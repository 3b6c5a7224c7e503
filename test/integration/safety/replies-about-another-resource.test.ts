import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { syncedOf } from '../../../src/resources/condition.ts';
import { peering, service, vpc } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { startWorld } from '../../support/world.ts';

/**
 * An answer with the id of another resource. test/unit/cloud/reply-id.test.ts has the table of all operations.
 * (docs/safety.md, the section about answers)
 */

test.concurrent(
  'a GET that is answered with another service puts no foreign address into a Secret',
  { timeout: 60_000 },
  async () => {
    await using world = await startWorld({ start: false });
    const turned = { asked: 'none', answered: 'none', times: 0 };
    await world.startOperator({ intercept: turning(turned) });
    turned.answered = await readyService(world, {}, 'other');
    turned.asked = await readyService(world);
    const host = (await world.secret('orders-db'))?.['host'];
    expect(host).toBeDefined();
    world.project.faults.add({ kind: 'truncatedList', operation: 'listServices', drop: 1 });
    await until('a few answers about the other service', () => turned.times > 3);
    expect((await world.secret('orders-db'))?.['host']).toBe(host);
    world.project.faults.clear();
    await world.untilReady('service', 'orders');
  },
);

/** The requested object, the existing resource in the answer, and the path of the request. */
const mistaken = [
  {
    title: 'a service whose name another one has',
    path: 'services',
    there: { name: 'legacy', cpu_millis: '1000', memory_gbs: '4' },
    manifest: (id: string) =>
      service('orders', { name: 'legacy' }, { 'managed-db.io/create-anyway': id }),
    kind: 'service',
    name: 'orders',
  },
  {
    title: 'a VPC under a name of our making',
    path: 'vpcs',
    there: { name: 'legacy', cidr: '10.1.0.0/16', region_code: 'eu-central-1' },
    manifest: () => vpc('prod'),
    kind: 'vpc',
    name: 'prod',
  },
] as const;

test.concurrent.each(mistaken)(
  'a create that is answered with what was there before takes it not: $title',
  async ({ path, there, manifest, kind, name }) => {
    await using world = await startWorld({ start: false });
    expect(await world.createInCloud(path, there)).toBeLessThan(300);
    const before = world.project.everCreated[0]?.id ?? '';
    const password = world.project.stores.service.get(before)?.password;
    const posts = { path: new RegExp(`/${path}$`, 'u'), answered: before, times: 0 };
    await world.startOperator({ intercept: answeringPosts(posts) });
    await world.applyUntilReady(vpc('other'));
    posts.times = 1;
    await world.apply(manifest(before));
    await world.untilReady(kind, name);
    expect([posts.times, (await world[kind](name))?.status?.id === before]).toEqual([0, false]);
    await world.remove(kind, name);
    const [first, ...own] = world.project.everCreated;
    expect([first?.deletedAt, world.project.stores.service.get(before)?.password]).toEqual([
      undefined,
      password,
    ]);
    expect(own.map(({ deletedAt }) => deletedAt !== undefined)).toEqual([false, true]);
  },
);

test.concurrent.each(mistaken)(
  'creates that are all answered with what was there before go less and less often, also after a restart, and say so: $title',
  async ({ path, there, manifest, kind, name }) => {
    await using world = await startWorld({ start: false, speed: 600 });
    expect(await world.createInCloud(path, there)).toBeLessThan(300);
    const before = world.project.everCreated[0]?.id ?? '';
    const posts = { path: new RegExp(`/${path}$`, 'u'), answered: before, times: 0 };
    const intercept = answeringPosts(posts);
    await world.startOperator({ intercept });
    await world.applyUntilReady(vpc('other'));
    posts.times = 1_000;
    await world.apply(manifest(before));
    await until('the fifth create', () => posts.times <= 995);
    const isTold = async () =>
      (await world[kind](name))?.status?.refusal?.failures === 1_000 - posts.times;
    await until('its answer to be told', isTold);
    await world.stopOperators();
    const [sent, at] = [posts.times, world.clock.now()];
    const said = syncedOf((await world[kind](name)) ?? {});
    expect(said?.message).toContain('(it names a resource that was there before)');
    expect(said?.message).not.toContain(before);
    expect(said?.message).toContain("ask the cloud's support");
    await world.startOperator({ intercept });
    await until('the next create', () => posts.times < sent);
    // Two minutes are those in which the cloud may still show the result of the create before.
    expect(world.clock.now() - at).toBeGreaterThan(140_000);
    expect(syncedOf((await world[kind](name)) ?? {})).toEqual(said);
    posts.times = 0;
    await world.untilReady(kind, name);
    expect((await world[kind](name))?.status?.id).not.toBe(before);
  },
);

test.concurrent('a peering request that is answered with an existing peering is sent again, and the existing peering stays', async () => {
  await using world = await startWorld({ start: false });
  const posts = { path: /\/peerings$/u, answered: '', times: 0 };
  await world.startOperator({ intercept: answeringPosts(posts) });
  await world.applyUntilReady(vpc('prod'));
  const id = (await world.vpc('prod'))?.status?.id ?? '';
  const body = { peer_account_id: '1', peer_region_code: 'eu', peer_vpc_id: 'somebodys' };
  expect(await world.createInCloud(`vpcs/${id}/peerings`, body)).toBeLessThan(300);
  posts.answered = world.project.everCreated[1]?.id ?? '';
  posts.times = 1;
  await world.apply(vpc('prod', { peerings: [peering] }));
  await until(
    'a peering',
    async () =>
      'id' in
      (Object.values((await recordOf(world, await world.vpc('prod'))).peerings ?? {})[0] ?? {}),
  );
  await world.untilReady('vpc', 'prod');
  await world.apply(vpc('prod'));
  await until(
    'it to be removed',
    async () =>
      Object.keys((await recordOf(world, await world.vpc('prod'))).peerings ?? {}).length === 0,
  );
  expect(world.project.everCreated.map(({ deletedAt }) => deletedAt !== undefined)).toEqual([
    false,
    false,
    true,
  ]);
});

/** Makes the cloud answer some POSTs with an existing resource, without any change. */
function answeringPosts(posts: {
  readonly path: RegExp;
  answered: string;
  times: number;
}): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    if (options.method !== 'POST' || !posts.path.test(options.path) || posts.times === 0)
      return dispatch(options, handler);
    posts.times -= 1;
    const { body: _body, ...rest } = options;
    return dispatch({ ...rest, method: 'GET', path: `${options.path}/${posts.answered}` }, handler);
  };
}

/** Makes the cloud answer a GET with another service than the service in the path. */
function turning(turned: {
  readonly asked: string;
  readonly answered: string;
  times: number;
}): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const isAsked = options.method === 'GET' && options.path.endsWith(`/services/${turned.asked}`);
    if (isAsked) turned.times += 1;
    return dispatch(
      isAsked ? { ...options, path: options.path.replace(turned.asked, turned.answered) } : options,
      handler,
    );
  };
}
