import { expect, test } from 'vitest';
import { commitsOf } from '../../support/cloud-calls.ts';
import { peering, replicaSet, service, vpc } from '../../support/manifests.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

async function readyReplicaSet(world: World): Promise<string> {
  await world.apply(service('orders'), replicaSet('reads', 'orders'));
  await world.untilReady('replicaSet', 'reads');
  return (await world.replicaSet('reads'))?.status?.id ?? '';
}

const replicaSetChanges = [
  {
    field: 'cpuMillis and memoryGbs',
    spec: { cpuMillis: 2000, memoryGbs: 8 },
    operation: 'resizeReplicaSet',
    inCloud: { cpu_millis: 2000, memory_gbs: 8 },
    elsewhere: ['resize', { cpu_millis: '4000', memory_gbs: '16' }],
  },
  {
    field: 'environment',
    spec: { environment: 'PROD', deletionProtection: false },
    operation: 'setReplicaSetEnvironment',
    inCloud: { metadata: { environment: 'PROD' } },
    elsewhere: ['setEnvironment', { environment: 'DEV' }],
  },
  {
    field: 'connectionPooler',
    spec: { connectionPooler: { enabled: true } },
    operation: 'enableReplicaSetPooler',
    inCloud: { connection_pooler: { endpoint: { port: 6432 } } },
    elsewhere: ['disablePooler', {}],
  },
] as const;

test.each(replicaSetChanges)(
  'a replica set takes a new $field, and is changed back when a user changes it in the cloud',
  async ({ spec, operation, inCloud, elsewhere: [path, body] }) => {
    await using world = await startWorld();
    const id = await readyReplicaSet(world);
    const shown = () => world.project.stores.replicaSet.get(id)?.timeline.at(world.clock.now());
    await world.apply(replicaSet('reads', 'orders', spec));
    await expect.poll(shown, { timeout: 20_000 }).toMatchObject(inCloud);
    await world.untilReady('replicaSet', 'reads');
    expect(commitsOf(world, operation)).toBe(1);
    const parent = (await world.service('orders'))?.status?.id ?? '';
    await world.createInCloud(`services/${parent}/replicaSets/${id}/${path}`, body);
    // Another user's change counts, too, where it is the same operation.
    await until(
      'the change to be undone',
      () => commitsOf(world, operation) === (path === 'disablePooler' ? 2 : 3),
    );
    await expect.poll(shown, { timeout: 20_000 }).toMatchObject(inCloud);
  },
);

test.each(replicaSetChanges.slice(0, 1))(
  "a refused $field of a replica set shows the cloud's message",
  async ({ spec, operation }) => {
    await using world = await startWorld();
    await readyReplicaSet(world);
    world.project.faults.add({
      kind: 'errorBefore',
      operation,
      status: 422,
      body: { message: 'not like this' },
    });
    await world.apply(replicaSet('reads', 'orders', spec));
    expect(await world.untilReason('replicaSet', 'reads', 'Rejected')).toMatch(
      /^the cloud refused to .* the replica set.*"not like this"; change spec\./u,
    );
  },
);

test('disabling a connection pooler removes its address from the Secret of the replica set', async () => {
  await using world = await startWorld();
  await world.apply(
    service('orders'),
    replicaSet('reads', 'orders', { connectionPooler: { enabled: true } }),
  );
  await world.untilReady('replicaSet', 'reads');
  expect(await world.secret('reads-replicas-db')).toHaveProperty('pooler-host');
  await world.apply(replicaSet('reads', 'orders', { connectionPooler: { enabled: false } }));
  await until(
    'the Secret without it',
    async () => (await world.secret('reads-replicas-db'))?.['pooler-host'] === undefined,
  );
  expect(commitsOf(world, 'disableReplicaSetPooler')).toBe(1);
});

test('a VPC is renamed, and renamed back when a user renames it in the cloud', async () => {
  await using world = await startWorld();
  await world.applyUntilReady(vpc('prod', { name: 'one' }));
  const id = (await world.vpc('prod'))?.status?.id ?? '';
  const name = () => world.project.stores.vpc.get(id)?.timeline.at(world.clock.now())?.name;
  await world.apply(vpc('prod', { name: 'two' }));
  await expect.poll(name, { timeout: 20_000 }).toBe('two');
  await world.untilReady('vpc', 'prod');
  await world.createInCloud(`vpcs/${id}/rename`, { name: 'three' });
  await until('the name to be put right', () => commitsOf(world, 'renameVpc') === 3);
  expect(name()).toBe('two');
});

test('peerings follow the spec when one is added, replaced and removed; an existing one is left', async () => {
  await using world = await startWorld();
  const other = { ...peering, peerVpcId: 'vpc-other' };
  await world.applyUntilReady(vpc('prod'));
  const id = (await world.vpc('prod'))?.status?.id ?? '';
  const theirs = { peer_account_id: '1', peer_region_code: 'eu-west-1', peer_vpc_id: 'vpc-theirs' };
  expect(await world.createInCloud(`vpcs/${id}/peerings`, theirs)).toBe(201);
  const peers = () =>
    [...world.project.stores.peering.values()]
      .map(({ timeline }) => timeline.at(world.clock.now())?.peer_vpc_id)
      .filter((peer) => peer !== undefined)
      .toSorted();
  await world.apply(vpc('prod', { peerings: [peering, other] }));
  await expect
    .poll(peers, { timeout: 20_000 })
    .toEqual(['vpc-0a1b2c3d', 'vpc-other', 'vpc-theirs']);
  await world.apply(vpc('prod', { peerings: [{ ...other, peerVpcId: 'vpc-third' }] }));
  await expect.poll(peers, { timeout: 20_000 }).toEqual(['vpc-theirs', 'vpc-third']);
  await world.untilReady('vpc', 'prod');
  await world.apply(vpc('prod'));
  await expect.poll(peers, { timeout: 20_000 }).toEqual(['vpc-theirs']);
  await world.untilReady('vpc', 'prod');
  expect(commitsOf(world, 'createPeering')).toBe(4);
});

test("a refused peering shows the cloud's message, and the next spec ends it", async () => {
  await using world = await startWorld();
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'createPeering',
    status: 422,
    body: { message: 'no such account' },
  });
  await world.apply(vpc('prod', { peerings: [peering] }));
  expect(await world.untilReason('vpc', 'prod', 'Rejected')).toContain(
    '"no such account"; change spec.peerings',
  );
  world.project.faults.clear();
  await world.applyUntilReady(
    vpc('prod', { peerings: [{ ...peering, peerAccountId: '111122223333' }] }),
  );
  expect(commitsOf(world, 'createVpc')).toBe(1);
});
