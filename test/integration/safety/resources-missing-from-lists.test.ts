import { expect, test } from 'vitest';
import { peering, replicaSet, service, vpc } from '../../support/manifests.ts';
import { letPass } from '../../support/let-pass.ts';
import { recordOf } from '../../support/read-record.ts';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World, type WorldKind } from '../../support/world.ts';
import type { Kind } from '../../../src/simulator/store.ts';

/** For seconds after a create, a LIST, a GET and a DELETE may all lack the resource. It is not gone, and nothing is left behind. (docs/safety.md, Gone) */

const ageMs = 100_000;

function forgetWhatIsNew(world: World): void {
  world.project.faults.add({ kind: 'notYet', operation: '*', ageMs });
}

const left = (world: World, kind: Kind) =>
  world.project.everCreated.filter((each) => each.kind === kind && each.deletedAt === undefined)
    .length;
const idOf = async (world: World, kind: WorldKind, name: string) =>
  until(`the id of ${name}`, async () => (await recordOf(world, await world[kind](name))).id);

test.concurrent('a VPC that is deleted at once is deleted in the cloud, which knew nothing of it at first', async () => {
  await using world = await startWorld({ speed: 20 });
  forgetWhatIsNew(world);
  await world.apply(vpc('prod'));
  await idOf(world, 'vpc', 'prod');
  await world.delete('vpc', 'prod');
  await until('it to say what is waited for', async () =>
    (await world.vpc('prod'))?.status?.conditions?.some(({ message }) =>
      message.includes('making sure that the VPC is gone'),
    ),
  );
  await world.untilGone('vpc', 'prod');
  expect(left(world, 'vpc')).toBe(0);
});

test.concurrent('a service that is deleted at once is deleted in the cloud, which knew nothing of it at first', async () => {
  await using world = await startWorld({ speed: 20 });
  forgetWhatIsNew(world);
  await world.apply(service('orders'));
  await idOf(world, 'service', 'orders');
  await world.delete('service', 'orders');
  await world.untilGone('service', 'orders');
  expect(left(world, 'service')).toBe(0);
});

test.concurrent('a replica set that is deleted at once is deleted in the cloud, which knew nothing of it at first', async () => {
  await using world = await startWorld({ speed: 20 });
  world.project.includeReplicaSets = false;
  await readyService(world);
  await letPass(world, ageMs);
  forgetWhatIsNew(world);
  await world.apply(replicaSet('reads', 'orders'));
  await idOf(world, 'replicaSet', 'reads');
  await world.delete('replicaSet', 'reads');
  await world.untilGone('replicaSet', 'reads');
  expect(left(world, 'replicaSet')).toBe(0);
});

test.concurrent('a peering that leaves the spec at once is removed in the cloud, which knew nothing of it at first', async () => {
  await using world = await startWorld({ speed: 20 });
  await world.applyUntilReady(vpc('prod'));
  await letPass(world, ageMs);
  forgetWhatIsNew(world);
  await world.apply(vpc('prod', { peerings: [peering] }));
  const recorded = async () =>
    Object.values((await recordOf(world, await world.vpc('prod'))).peerings ?? {});
  await until('the id of the peering', async () => (await recorded()).some((each) => 'id' in each));
  await world.apply(vpc('prod', { peerings: [] }));
  await until('the record to forget it', async () => (await recorded()).length === 0);
  expect(left(world, 'peering')).toBe(0);
});

test.concurrent('a service that was made under a wrong clock, ten minutes slow, and is deleted after a restart is deleted in the cloud', async () => {
  await using world = await startWorld({ speed: 20, start: false });
  forgetWhatIsNew(world);
  await world.startOperator({ clock: { ...world.clock, now: () => world.clock.now() - 600_000 } });
  await world.apply(service('orders'));
  await idOf(world, 'service', 'orders');
  await world.stopOperators();
  await world.delete('service', 'orders');
  await world.startOperator();
  await world.untilGone('service', 'orders');
  expect(left(world, 'service')).toBe(0);
});

test.concurrent('a VPC that a foreign client deletes at once is gone two minutes after it was made', async () => {
  await using world = await startWorld({ speed: 60 });
  forgetWhatIsNew(world);
  await world.apply(vpc('prod'));
  const id = await idOf(world, 'vpc', 'prod');
  world.project.stores.vpc
    .get(id)
    ?.timeline.plan(world.clock.now(), [{ afterMs: 0, change: () => undefined }]);
  await world.delete('vpc', 'prod');
  await world.untilGone('vpc', 'prod');
  const [made] = world.project.everCreated;
  expect(world.clock.now() - Date.parse(made?.createdAt ?? '')).toBeGreaterThan(120_000);
});
