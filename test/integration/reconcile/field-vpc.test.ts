import { test } from 'vitest';
import { force } from '../../../src/simulator/store.ts';
import { peering, vpc } from '../../support/manifests.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

const calls = (world: World, operation: string) => world.project.calls.get(operation) ?? 0;
const other = { ...peering, peerVpcId: 'vpc-other' };

async function readyVpc(world: World, spec: object = {}): Promise<string> {
  await world.applyUntilReady(vpc('prod', spec));
  return (await world.vpc('prod'))?.status?.id ?? '';
}

const nameInCloud = (world: World, id: string) =>
  world.project.stores.vpc.get(id)?.timeline.at(world.clock.now())?.name;

const peersInCloud = (world: World) =>
  [...world.project.stores.peering.values()]
    .map(({ timeline }) => timeline.at(world.clock.now())?.peer_vpc_id)
    .filter((peer) => peer !== undefined)
    .toSorted();

test.concurrent('a name that a user changes in the cloud is reported with old and new value, and changed back', async ({
  expect,
}) => {
  await using world = await startWorld();
  const id = await readyVpc(world, { name: 'one' });
  await world.createInCloud(`vpcs/${id}/rename`, { name: 'theirs' });
  const event =
    'name was changed elsewhere from one to theirs; renaming the VPC from "theirs" to "one"';
  await until('the event', async () =>
    (await world.untilEvent('prod', 'Renaming')).includes(event),
  );
  await until('the name', () => nameInCloud(world, id) === 'one');
  expect(calls(world, 'renameVpc')).toBe(2);
});

test.concurrent('a name that is removed from the spec stays; a later change in the cloud is reported and left', async ({
  expect,
}) => {
  await using world = await startWorld();
  const id = await readyVpc(world, { name: 'one' });
  await readyVpc(world);
  expect(nameInCloud(world, id)).toBe('one');
  await world.createInCloud(`vpcs/${id}/rename`, { name: 'theirs' });
  const event = 'name was changed elsewhere from one to theirs; the spec does not name it';
  await until('the event', async () =>
    (await world.untilEvent('prod', 'Available')).includes(event),
  );
  await until(
    'the name in status',
    async () => (await world.vpc('prod'))?.status?.vpc?.name === 'theirs',
  );
  expect([nameInCloud(world, id), calls(world, 'renameVpc')]).toEqual(['theirs', 1]);
});

test.concurrent('a rename that the cloud refuses is shown, and peerings follow the spec', async ({
  expect,
}) => {
  await using world = await startWorld();
  await readyVpc(world, { name: 'one', peerings: [other] });
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'renameVpc',
    status: 422,
    body: { message: 'a bad name' },
  });
  await world.apply(vpc('prod', { name: 'two', peerings: [peering] }));
  const words = 'the cloud refused to rename the VPC to "two": "a bad name"; change spec.name';
  expect(await world.untilReason('vpc', 'prod', 'Rejected')).toContain(`${words}; tried again at `);
  await until('the peerings', () => peersInCloud(world).join() === peering.peerVpcId);
  expect(calls(world, 'renameVpc')).toBe(1);
  await readyVpc(world, { name: 'one', peerings: [peering] });
});

test.concurrent('a rename that the cloud postpones is made later', async ({ expect }) => {
  await using world = await startWorld();
  const id = await readyVpc(world, { name: 'one' });
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'renameVpc',
    status: 409,
    body: { message: 'busy' },
  });
  await world.apply(vpc('prod', { name: 'two' }));
  expect(await world.untilReason('vpc', 'prod', 'WaitingForCloud')).toContain(
    'cannot rename the VPC to "two" now: "busy"',
  );
  world.project.faults.clear();
  await world.untilReady('vpc', 'prod');
  expect(nameInCloud(world, id)).toBe('two');
});

test.concurrent('a peering that a user makes in the cloud is shown as foreign and left, even if the spec names it for a while', async ({
  expect,
}) => {
  await using world = await startWorld();
  const id = await readyVpc(world, { peerings: [peering] });
  const { peerAccountId, peerRegionCode, peerVpcId } = other;
  const theirs = {
    peer_account_id: peerAccountId,
    peer_region_code: peerRegionCode,
    peer_vpc_id: peerVpcId,
  };
  expect(await world.createInCloud(`vpcs/${id}/peerings`, theirs)).toBe(201);
  const managed = async () =>
    (await world.vpc('prod'))?.status?.peerings
      ?.map((each) => `${each.peerVpcId} ${each.managed}`)
      .join();
  await until(
    'both in status',
    async () => (await managed()) === 'vpc-0a1b2c3d true,vpc-other false',
    managed,
  );
  await readyVpc(world, { peerings: [peering, other] });
  await readyVpc(world, { peerings: [peering] });
  expect(peersInCloud(world)).toEqual(['vpc-0a1b2c3d', 'vpc-other']);
  expect([calls(world, 'createPeering'), calls(world, 'deletePeering')]).toEqual([2, 0]);
});

test.concurrent('a peering that another client removes in the cloud is requested again', async ({
  expect,
}) => {
  await using world = await startWorld();
  await readyVpc(world, { peerings: [peering] });
  const made = world.project.everCreated.find(({ kind }) => kind === 'peering')?.id ?? '';
  force(world.project, { kind: 'peering', id: made, status: undefined });
  await until('another one', () => calls(world, 'createPeering') === 2);
  await world.untilReady('vpc', 'prod');
  expect(peersInCloud(world)).toEqual([peering.peerVpcId]);
});

test.concurrent.for([
  ['nothing else changed', {}],
  ['renamed meanwhile', { name: 'two' }],
] as const)(
  'a peering that is put back into the spec before its accepted DELETE takes effect is asked for again (%s)',
  async ([, edit], { expect }) => {
    await using world = await startWorld({ speed: 60 });
    await readyVpc(world, { peerings: [peering] });
    const id = world.project.everCreated.find(({ kind }) => kind === 'peering')?.id ?? '';
    world.project.faults.add({ kind: 'ignored', operation: 'deletePeering' }); // it may be sent twice before the spec is back
    await world.apply(vpc('prod'));
    await until('the DELETE', () => calls(world, 'deletePeering') > 0);
    await readyVpc(world, { peerings: [peering] });
    await readyVpc(world, { peerings: [peering], ...edit });
    force(world.project, { kind: 'peering', id, status: undefined });
    await world.sync('vpc', 'prod');
    await until('another one', () => calls(world, 'createPeering') === 2);
    await world.untilReady('vpc', 'prod');
    expect(peersInCloud(world)).toEqual([peering.peerVpcId]);
  },
);

test.concurrent('a removal of a peering that the cloud postpones is made later', async ({
  expect,
}) => {
  await using world = await startWorld();
  await readyVpc(world, { peerings: [peering] });
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'deletePeering',
    status: 409,
    body: { message: 'busy' },
  });
  await world.apply(vpc('prod'));
  expect(await world.untilReason('vpc', 'prod', 'WaitingForCloud')).toContain('now: "busy"');
  world.project.faults.clear();
  await world.untilReady('vpc', 'prod');
  expect(peersInCloud(world)).toEqual([]);
});

test.concurrent('a peering that the cloud refuses delays no other peering and no rename', async ({
  expect,
}) => {
  await using world = await startWorld();
  const id = await readyVpc(world, { name: 'one' });
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'createPeering',
    status: 422,
    body: { message: 'no such account' },
    times: 1,
  });
  await world.apply(vpc('prod', { name: 'two', peerings: [peering, other] }));
  expect(await world.untilReason('vpc', 'prod', 'Rejected')).toContain('"no such account"');
  await until(
    'the name',
    () => nameInCloud(world, id) === 'two',
    () => world.vpc('prod'),
  );
  expect(peersInCloud(world)).toContain(other.peerVpcId);
});

test.concurrent('a peering that is requested together with a rename is seen as soon as it exists', async ({
  expect,
}) => {
  // A minute takes two seconds: without polls, the operator sees the peering too late for this test.
  await using world = await startWorld({ speed: 30, latencyMs: 6_000 });
  await readyVpc(world, { name: 'one' });
  const polls = calls(world, 'listVpcs');
  await world.applyUntilReady(vpc('prod', { name: 'two', peerings: [peering] }));
  expect(calls(world, 'listVpcs') - polls).toBeLessThan(30);
  expect((await world.vpc('prod'))?.status?.peeringSummary).toBe('1/1 active');
});
