import { test } from 'vitest';
import { callsOf, commitsOf } from '../../support/cloud-calls.ts';
import { letPass } from '../../support/let-pass.ts';
import { replicaSet, service, vpc } from '../../support/manifests.ts';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { untilTold } from '../../support/until-told.ts';
import { whileStopped } from '../../support/while-stopped.ts';
import { startWorld, type World } from '../../support/world.ts';

/** An old list undoes no change, and is no drift. (docs/safety.md, Changing) */

const bigger = { cpuMillis: 2000, memoryGbs: 8 };
const toldOfOthers = (world: World) =>
  world.log.filter((line) => line.includes('changed elsewhere'));

test.concurrent.for([
  {
    kind: 'service',
    name: 'orders',
    list: 'listServices',
    change: 'resizeService',
    look: 'getService',
    wanted: service('orders', bigger),
  },
  {
    kind: 'replicaSet',
    name: 'reads',
    list: 'listServices',
    change: 'resizeReplicaSet',
    look: 'listReplicaSets',
    wanted: replicaSet('reads', 'orders', bigger),
  },
  {
    kind: 'service',
    name: 'orders',
    list: 'listServices',
    change: 'attachServiceToVpc',
    look: 'getService',
    wanted: service('orders', { vpcRef: { name: 'prod' } }),
  },
  {
    kind: 'vpc',
    name: 'prod',
    list: 'listVpcs',
    change: 'renameVpc',
    look: 'getVpc',
    wanted: vpc('prod', { name: 'two' }),
  },
] as const)(
  'an old list after $change of a $kind was seen costs a $look, and changes nothing',
  async ({ kind, name, list, change, look, wanted }, { expect }) => {
    await using world = await startWorld();
    await world.apply(
      vpc('prod', { name: 'one' }),
      service('orders'),
      replicaSet('reads', 'orders'),
    );
    await world.untilReady(kind, name);
    await letPass(world, 250_000);
    // Late enough for the object to be there; the list that a busy machine asks for seconds later is of before the change still.
    const before = world.clock.now() - 200_000;
    await world.apply(wanted);
    await world.untilReady(kind, name);
    const [looks, lists] = [callsOf(world, look), callsOf(world, list)];
    for (let times = 0; times < 3; times += 1) {
      const earlier = callsOf(world, look);
      world.project.faults.add({
        kind: 'staleList',
        operation: list,
        ageMs: Math.ceil(world.clock.now() - before),
      });
      await world.sync(kind, name);
      await until('the look', () => callsOf(world, look) > earlier);
      world.project.faults.clear();
      await letPass(world, 11_000); // so soon a new list is asked for
      await world.sync(kind, name);
      await letPass(world, 11_000);
    }
    expect([callsOf(world, change), toldOfOthers(world)]).toEqual([1, []]);
    expect(callsOf(world, look) - looks).toBeLessThanOrEqual(callsOf(world, list) - lists);
  },
);

test.concurrent('a size that a user sets back to the old one is told once, and put right', async ({
  expect,
}) => {
  await using world = await startWorld();
  const id = await readyService(world);
  await readyService(world, bigger);
  await world.createInCloud(`services/${id}/resize`, { cpu_millis: '1000', memory_gbs: '4' });
  await untilTold(
    world,
    'cpuMillis/memoryGbs was changed elsewhere from 2000m/8GB to 1000m/4GB; resizing from 1000m/4GB to 2000m/8GB',
  );
  await until('both of our resizes, and theirs', () => commitsOf(world, 'resizeService') === 3);
  await world.untilReady('service', 'orders');
  await world.sync('service', 'orders');
  expect([callsOf(world, 'resizeService'), toldOfOthers(world).length]).toEqual([3, 1]);
});

test.concurrent('a resize costs a single GET of the service, and a service at rest costs none', async ({
  expect,
}) => {
  await using world = await startWorld();
  await readyService(world);
  expect(callsOf(world, 'getService'), 'after the create').toBe(0);
  await readyService(world, bigger);
  await letPass(world, 200_000);
  expect([callsOf(world, 'resizeService'), callsOf(world, 'getService')]).toEqual([1, 1]);
});

test.concurrent('a restarted operator undoes no change because of an old list', async ({
  expect,
}) => {
  await using world = await startWorld();
  await readyService(world);
  await letPass(world, 250_000);
  const before = world.clock.now() - 200_000;
  await readyService(world, bigger);
  await whileStopped(world, () => {
    world.project.faults.add({
      kind: 'staleList',
      operation: 'listServices',
      ageMs: Math.ceil(world.clock.now() - before),
    });
    return Promise.resolve();
  });
  await until('the look', () => callsOf(world, 'getService') === 2);
  world.project.faults.clear();
  await world.sync('service', 'orders');
  expect([callsOf(world, 'resizeService'), toldOfOthers(world)]).toEqual([1, []]);
});
