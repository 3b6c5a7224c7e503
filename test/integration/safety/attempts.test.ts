import { expect, test } from 'vitest';
import type { CloudOperation } from '../../../src/cloud/cloud-api.ts';
import { force } from '../../../src/simulator/store.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { letPass } from '../../support/let-pass.ts';
import { peering, replicaSet, secret, service, vpc } from '../../support/manifests.ts';
import { defaultOptions } from '../../support/default-options.ts';
import { recordOf } from '../../support/read-record.ts';
import { readyService } from '../../support/ready-service.ts';
import { shiftedDate } from '../../support/shifted-date.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World, type WorldKind } from '../../support/world.ts';

/** A create that was not answered, and the resources that it could be mistaken for. (docs/safety.md, Creating exactly once) */

/** Creates a service whose answer is lost while no list can be read. @returns its id */
async function unanswered(world: World, spec: object): Promise<string> {
  world.project.faults.add({ kind: 'replyLost', operation: 'createService', times: 1 });
  await world.apply(service('orders', spec));
  await until('the create', () => world.project.everCreated.length === 1);
  return world.project.everCreated[0]?.id ?? '';
}

/** The cloud shows a service as created so much later than it was. */
function shiftCreated(world: World, id: string, byMs: number): void {
  world.project.stores.service.get(id)?.timeline.plan(world.clock.now(), [
    {
      afterMs: 0,
      change: (before) =>
        before && {
          ...before,
          status: 'READY',
          created: new Date(Date.parse(before.created ?? '') + byMs).toISOString(),
        },
    },
  ]);
}

test.concurrent('a list that lacks the resources of other objects does not prove that nothing was created', async () => {
  await using world = await startWorld({ speed: 120 });
  await readyService(world, {}, 'known');
  world.project.faults.add({ kind: 'replyLost', operation: 'createService', times: 1 });
  world.project.faults.add({ kind: 'truncatedList', operation: 'listServices', drop: 2 });
  await world.apply(service('orders'));
  await until('the create', () => world.project.everCreated.length === 2);
  const { at = '' } = (await recordOf(world, await world.service('orders'))).attempt ?? {};
  const listsAtTheEnd = await until(
    'the attempt to be old',
    () =>
      world.clock.now() > Date.parse(at) + 150_000 &&
      (world.project.calls.get('listServices') ?? 0),
  );
  await until(
    'some more lists',
    () => (world.project.calls.get('listServices') ?? 0) > listsAtTheEnd + 3,
  );
  expect(world.project.calls.get('createService')).toBe(2);
  world.project.faults.clear();
  await world.untilReady('service', 'orders');
  expect(world.project.everCreated.length).toBe(2);
});

type Row = readonly [
  kind: WorldKind,
  create: CloudOperation,
  list: CloudOperation,
  manifest: object,
];
const kinds = [
  ['service', 'createService', 'listServices', service('new')],
  ['vpc', 'createVpc', 'listVpcs', vpc('new')],
  ['replicaSet', 'createReplicaSet', 'listReplicaSets', replicaSet('new', 'orders')],
] as const satisfies readonly Row[];
/** Loses the answer to a create while no list can be read; lists then show the new resource without this part. @returns its id */
async function madeWithout(
  world: World,
  part: 'name' | 'id',
  [kind, create, list, manifest]: Row,
): Promise<string> {
  const { project } = world;
  if (kind === 'replicaSet') await readyService(world);
  const before = project.everCreated.length;
  project.faults.add({ kind: 'errorBefore', operation: 'listServices', status: 503 });
  project.faults.add({ kind: 'errorBefore', operation: list, status: 503 });
  project.faults.add({ kind: 'replyLost', operation: create, times: 1 });
  await world.apply(manifest);
  const id = await until('the create', () => project.everCreated[before]?.id);
  // A plan replaces the planned states, so the creation must be over.
  if (part === 'id') await until('the end of its creation', () => isMade(world, id));
  plan(
    world,
    id,
    part === 'name'
      ? { name: undefined }
      : kind === 'service'
        ? { service_id: undefined }
        : { id: undefined },
  );
  project.faults.clear();
  return id;
}

function isMade({ project: { stores }, clock }: World, id: string): boolean {
  const { status } =
    (stores.service.get(id) ?? stores.replicaSet.get(id))?.timeline.at(clock.now()) ?? {};
  return stores.vpc.has(id) || status === 'READY' || status === 'active';
}

/** From now on the cloud shows this resource with other values. */
function plan({ project: { stores }, clock }: World, id: string, values: object): void {
  const change = <T extends object>(seen: T | undefined) => seen && Object.assign({}, seen, values);
  for (const store of [stores.service, stores.vpc, stores.replicaSet])
    store.get(id)?.timeline.plan(clock.now(), [{ afterMs: 0, change }]);
}

test.concurrent.each<Row>(kinds)(
  'while lists show a %s without its name, it may be the answer: nothing is created, and the object reports the unreadable list',
  async (...row) => {
    await using world = await startWorld({ speed: 120, latencyMs: 600_000 });
    const id = await madeWithout(world, 'name', row);
    const { length } = world.project.everCreated;
    expect(await world.untilReason(row[0], 'new', 'UnexpectedReply')).toContain(
      `the name of ${id}: expected string`,
    );
    expect(world.project.everCreated.length).toBe(length);
  },
);

test.concurrent.each<Row>(kinds)(
  'while lists show a %s without its id, nothing is created, and the object that waits reports the unreadable list',
  async (...row) => {
    await using world = await startWorld({ speed: 120 });
    const [kind] = row;
    await (kind === 'vpc' ? world.applyUntilReady(vpc('other')) : readyService(world, {}, 'other'));
    const id = await madeWithout(world, 'id', row);
    const { length } = world.project.everCreated;
    expect(await world.untilReason(kind, 'new', 'UnexpectedReply')).toContain(
      'id of the item named "',
    );
    expect(world.project.everCreated.length).toBe(length);
    plan(world, id, kind === 'service' ? { service_id: id } : { id });
    await world.untilReady(kind, 'new');
    await world.untilReady(kind === 'vpc' ? 'vpc' : 'service', 'other');
    expect([world.project.everCreated.length, (await world[kind]('new'))?.status?.id]).toEqual([
      length,
      id,
    ]);
  },
);

test.concurrent('while lists show a foreign service without its name, no service is created under a chosen name', async () => {
  await using world = await startWorld({ speed: 120 });
  expect(
    await world.createInCloud('services', { name: 'theirs', cpu_millis: '1000', memory_gbs: '4' }),
  ).toBe(202);
  const { id = '' } = world.project.everCreated[0] ?? {};
  await until('the end of its creation', () => isMade(world, id));
  plan(world, id, { name: undefined });
  await world.apply(service('orders', { name: 'orders' }));
  expect(await world.untilReason('service', 'orders', 'UnexpectedReply')).toContain(
    `the name of ${id}: expected string`,
  );
  expect(world.project.everCreated.length).toBe(1);
  plan(world, id, { name: 'theirs' });
  await world.untilReady('service', 'orders');
});

test.concurrent('a service whose create got no answer is found within fifteen seconds, though all lists lag by five seconds', async () => {
  await using world = await startWorld({ speed: 5, latencyMs: 0, listLagMs: 5_000 });
  const id = await unanswered(world, {});
  const begun = world.clock.now();
  await world.untilReady('service', 'orders');
  expect(world.clock.now() - begun).toBeLessThan(15_000);
  expect([(await world.service('orders'))?.status?.id, world.project.everCreated.length]).toEqual([
    id,
    1,
  ]);
});

test.concurrent("a resource under a generated name is recognized, even if the cloud's clock is wrong", async () => {
  await using world = await startWorld();
  world.project.faults.add({ kind: 'errorBefore', operation: 'listServices', status: 503 });
  const id = await unanswered(world, {});
  shiftCreated(world, id, -60_000);
  world.project.faults.clear();
  await world.untilReady('service', 'orders');
  expect(world.project.everCreated.length).toBe(1);
});

test.concurrent('a resource under a generated name is recognized, even if the cloud changes the spelling of a field', async () => {
  await using world = await startWorld();
  world.project.faults.add({ kind: 'errorBefore', operation: 'listVpcs', status: 503 });
  world.project.faults.add({ kind: 'replyLost', operation: 'createVpc', times: 1 });
  await world.apply(vpc('prod'));
  await until('the create', () => world.project.everCreated.length === 1);
  const id = world.project.everCreated[0]?.id ?? '';
  world.project.stores.vpc
    .get(id)
    ?.timeline.plan(world.clock.now(), [
      { afterMs: 0, change: (before) => before && { ...before, region_code: 'aws-eu-central-1' } },
    ]);
  world.project.faults.clear();
  await world.untilReady('vpc', 'prod');
  expect(world.project.everCreated.length).toBe(1);
});

test.concurrent("a resource under a chosen name that appears after the wait is left to a user's decision, and no other is created", async () => {
  await using world = await startWorld({ speed: 120 });
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'listServices',
    status: 503,
    times: 40,
  });
  world.project.faults.add({ kind: 'replyLost', operation: 'createService', times: 1 });
  // The name is looked for once before it is used.
  const early = world.project.faults;
  early.clear();
  const id = await unanswered(world, { name: 'orders' });
  shiftCreated(world, id, 49_000);
  expect(await world.untilReason('service', 'orders', 'AmbiguousCreate')).toContain(id);
  expect(world.project.everCreated.length).toBe(1);
});

test.concurrent('an operator that sees one namespace adopts no service under a chosen name, since an object elsewhere may have created it', async () => {
  await using world = await startWorld({ speed: 120 });
  world.project.faults.add({ kind: 'dropBefore', operation: 'createService', times: 1 });
  await world.apply(service('orders', { name: 'orders' }));
  await world.untilReason('service', 'orders', 'ResolvingCreate');
  expect(
    await world.createInCloud('services', { name: 'orders', cpu_millis: '1000', memory_gbs: '4' }),
  ).toBe(202);
  const theirs = world.project.everCreated[0]?.id ?? '';
  expect(await world.untilReason('service', 'orders', 'AmbiguousCreate')).toContain(theirs);
  expect((await recordOf(world, await world.service('orders'))).id).toBeUndefined();
});

test.concurrent("a resource under a name that another creator may have chosen at the same time is not adopted without a user's decision", async () => {
  await using world = await startWorld({
    speed: 120,
    settings: { options: { ...defaultOptions, sharedProjectAdoption: true } },
  });
  world.project.faults.add({ kind: 'dropBefore', operation: 'createService', times: 1 });
  await world.apply(service('orders', { name: 'orders' }));
  await world.untilReason('service', 'orders', 'ResolvingCreate');
  expect(
    await world.createInCloud('services', { name: 'orders', cpu_millis: '1000', memory_gbs: '4' }),
  ).toBe(202);
  const theirs = world.project.everCreated[0]?.id ?? '';
  expect(await world.untilReason('service', 'orders', 'AmbiguousCreate')).toContain(theirs);
  await world.sync('service', 'orders');
  expect([
    (await recordOf(world, await world.service('orders'))).id,
    callsOf(world, 'updateServicePassword'),
  ]).toEqual([undefined, 0]);
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'managed-db.io/external-id': theirs } },
  });
  await world.untilReady('service', 'orders');
  expect((await recordOf(world, await world.service('orders'))).id).toBe(theirs);
});

test.concurrent("with the operator's own key, a resource under a chosen name is never adopted", async () => {
  await using world = await startWorld({ speed: 120 });
  world.project.faults.add({ kind: 'dropBefore', operation: 'createService', times: 1 });
  await world.apply(service('orders', { name: 'orders' }));
  await world.untilReason('service', 'orders', 'ResolvingCreate');
  expect(
    await world.createInCloud('services', { name: 'orders', cpu_millis: '1000', memory_gbs: '4' }),
  ).toBe(202);
  const theirs = world.project.everCreated[0]?.id ?? '';
  await world.untilReason('service', 'orders', 'AmbiguousCreate');
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'managed-db.io/external-id': theirs } },
  });
  expect(await world.untilReason('service', 'orders', 'NotAllowed')).toContain(theirs);
  await world.sync('service', 'orders');
  expect((await recordOf(world, await world.service('orders'))).id).toBeUndefined();
  await world.kubectl([
    'annotate',
    'managedservice',
    'orders',
    'managed-db.io/external-id-',
    `managed-db.io/create-anyway=${theirs}`,
  ]);
  await world.untilReady('service', 'orders');
  expect([
    world.project.everCreated.length,
    (await recordOf(world, await world.service('orders'))).id,
  ]).toEqual([2, world.project.everCreated[1]?.id]);
});

test.concurrent('a clock of the cloud that is set forward does not end the wait for a VPC that appears late', async () => {
  await using world = await startWorld({ speed: 30, listLagMs: 100_000, start: false });
  const cloud = shiftedDate(world.simulator.url);
  await world.startedOperator({ intercept: cloud.intercept });
  world.project.faults.add({ kind: 'replyLost', operation: 'createVpc', times: 1 });
  await world.apply(vpc('orders'));
  await until('the create', () => world.project.everCreated.length === 1);
  await world.untilReason('vpc', 'orders', 'ResolvingCreate');
  cloud.aheadMs = 300_000;
  // Twice: the first look hears of the time, the second could believe it.
  for (let looks = 0; looks < 2; looks++) await world.sync('vpc', 'orders');
  await world.untilReady('vpc', 'orders');
  expect(world.project.everCreated.length).toBe(1);
});

test.concurrent('a clock of the cloud that is set forward does not end the wait for a peering that appears late', async () => {
  await using world = await startWorld({ listLagMs: 60_000, start: false });
  const cloud = shiftedDate(world.simulator.url);
  await world.startedOperator({ intercept: cloud.intercept });
  await world.applyUntilReady(vpc('prod'));
  world.project.faults.add({ kind: 'replyLost', operation: 'createPeering', times: 1 });
  await world.apply(vpc('prod', { peerings: [peering] }));
  await until('the peering', () => world.project.everCreated.length === 2);
  cloud.aheadMs = 300_000;
  await world.untilReady('vpc', 'prod');
  expect(world.project.everCreated.length).toBe(2);
});

const aPeering = { ...peering, peerVpcId: 'another' };

test.concurrent('a list without a recorded peering does not prove that an unanswered create made no peering', async () => {
  // Lists lag, so that none shows the second peering before they are cut short.
  await using world = await startWorld({ speed: 120, listLagMs: 60_000 });
  await world.applyUntilReady(vpc('prod', { peerings: [peering] }));
  world.project.faults.add({ kind: 'replyLost', operation: 'createPeering', times: 1 });
  await world.apply(vpc('prod', { peerings: [peering, aPeering] }));
  await until('the second peering', () => world.project.everCreated.length === 3);
  world.project.faults.add({ kind: 'truncatedList', operation: 'listPeerings', drop: 2 });
  await letPass(world, 150_000);
  const lists = callsOf(world, 'listPeerings');
  await until('some more lists', () => callsOf(world, 'listPeerings') > lists + 3);
  expect(callsOf(world, 'createPeering')).toBe(2);
  world.project.faults.clear();
  await world.untilReady('vpc', 'prod');
  expect(world.project.everCreated.length).toBe(3);
});

test.concurrent('a list without a recorded peering does not prove the absence of a peering that a user made in the cloud', async () => {
  await using world = await startWorld({ speed: 20 });
  await world.apply(vpc('prod', { peerings: [peering] }));
  const id = await world
    .untilReady('vpc', 'prod')
    .then(async () => (await world.vpc('prod'))?.status?.id ?? '');
  world.project.faults.add({ kind: 'truncatedList', operation: 'listPeerings', drop: 2 });
  const body = {
    peer_account_id: aPeering.peerAccountId,
    peer_region_code: aPeering.peerRegionCode,
    peer_vpc_id: aPeering.peerVpcId,
  };
  expect(await world.createInCloud(`vpcs/${id}/peerings`, body)).toBeLessThan(300);
  const lists = callsOf(world, 'listPeerings');
  await until('such a list', () => callsOf(world, 'listPeerings') > lists);
  await world.apply(vpc('prod', { peerings: [peering, aPeering] }));
  await until('the words', async () =>
    (await world.untilReason('vpc', 'prod', 'WaitingForCloud')).includes('whose list lacks'),
  );
  world.project.faults.clear();
  await world.untilReady('vpc', 'prod');
  expect(world.project.everCreated.length).toBe(3);
});

test.concurrent('a change of the Secret to the key of another project does not prove that an unanswered create made no peering', async () => {
  await using world = await startWorld({ listLagMs: 60_000 });
  const other = world.simulator.addProject();
  const spec = { credentialsRef: { name: 'key' } };
  await world.apply(secret('key', { apiKey: world.project.apiKey }), vpc('prod', spec));
  await world.untilReady('vpc', 'prod');
  world.project.faults.add({ kind: 'replyLost', operation: 'createPeering', times: 1 });
  await world.apply(vpc('prod', { ...spec, peerings: [peering] }));
  await until('the peering', () => world.project.everCreated.length === 2);
  world.project.faults.add({ kind: 'errorBefore', operation: 'listPeerings', status: 503 });
  await world.apply(secret('key', { apiKey: other.apiKey }));
  await world.untilReason('vpc', 'prod', 'ForeignProject');
  world.project.faults.clear();
  await letPass(world, 200_000);
  await world.apply(secret('key', { apiKey: world.project.apiKey }));
  await world.untilReady('vpc', 'prod');
  expect([world.project.everCreated.length, other.everCreated.length]).toEqual([2, 0]);
});

test.concurrent('a peering that a user made in the cloud after the last list is used as it is', async () => {
  await using world = await startWorld({ speed: 10 });
  await world.apply(vpc('prod', { peerings: [peering] }));
  const id = await world
    .untilReady('vpc', 'prod')
    .then(async () => (await world.vpc('prod'))?.status?.id ?? '');
  const body = {
    peer_account_id: aPeering.peerAccountId,
    peer_region_code: aPeering.peerRegionCode,
    peer_vpc_id: aPeering.peerVpcId,
  };
  expect(await world.createInCloud(`vpcs/${id}/peerings`, body)).toBeLessThan(300);
  await world.apply(vpc('prod', { peerings: [peering, aPeering] }));
  await until(
    'both to be shown',
    async () => (await world.vpc('prod'))?.status?.peerings?.length === 2,
  );
  await world.untilReady('vpc', 'prod');
  expect(world.project.everCreated.length).toBe(3);
});

test.concurrent('a peering that a user made in the cloud while a request had no answer stays, if the spec does not name it any more', async () => {
  await using world = await startWorld();
  await world.apply(vpc('prod'));
  const id = await world
    .untilReady('vpc', 'prod')
    .then(async () => (await world.vpc('prod'))?.status?.id ?? '');
  // An answer with an unknown outcome: a broken connection may prove that the request never left.
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'createPeering',
    status: 502,
    times: 1,
  });
  await world.apply(vpc('prod', { peerings: [aPeering] }));
  await until('the request', () => callsOf(world, 'createPeering') === 1);
  // Without a list nothing is concluded before the peering is there.
  world.project.faults.add({ kind: 'errorBefore', operation: 'listPeerings', status: 503 });
  await world.apply(vpc('prod'));
  const body = {
    peer_account_id: aPeering.peerAccountId,
    peer_region_code: aPeering.peerRegionCode,
    peer_vpc_id: aPeering.peerVpcId,
  };
  expect(await world.createInCloud(`vpcs/${id}/peerings`, body)).toBeLessThan(300);
  world.project.faults.clear();
  await until(
    'the request to be forgotten',
    async () =>
      Object.keys((await recordOf(world, await world.vpc('prod'))).peerings ?? {}).length === 0,
  );
  await world.untilReady('vpc', 'prod');
  expect(callsOf(world, 'deletePeering')).toBe(0);
});

test.concurrent('a list without a known service does not prove that the name in a spec is free', async () => {
  await using world = await startWorld({ speed: 20 });
  await readyService(world, {}, 'known');
  world.project.faults.add({ kind: 'truncatedList', operation: 'listServices', drop: 9 });
  expect(
    await world.createInCloud('services', { name: 'orders', cpu_millis: '1000', memory_gbs: '4' }),
  ).toBe(202);
  await world.apply(service('orders', { name: 'orders' }), service('unnamed'));
  expect(await world.untilReason('service', 'orders', 'WaitingForCloud')).toContain(
    'the whole list of services, which lacks',
  );
  await until(
    'the service without a name of its own',
    () => world.project.everCreated.length === 3,
  );
  world.project.faults.clear();
  await world.untilReason('service', 'orders', 'SameNameExists');
  expect(world.project.everCreated.length).toBe(3);
});

test.concurrent('a name that was free at the first attempt is checked again before the second', async () => {
  await using world = await startWorld();
  // Another user takes the name within the ten seconds before the second try: five seconds of this test.
  world.clock.runAt(2);
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'createService',
    status: 409,
    body: { message: 'quota' },
    name: 'orders',
    times: 1,
  });
  await world.apply(service('orders', { name: 'orders' }));
  await until(
    'the refusal',
    async () => (await world.service('orders'))?.status?.refusal !== undefined,
  );
  expect(
    await world.createInCloud('services', { name: 'orders', cpu_millis: '1000', memory_gbs: '4' }),
  ).toBe(202);
  world.clock.runAt(60);
  await world.untilReason('service', 'orders', 'SameNameExists');
  expect(world.project.everCreated.length).toBe(1);
});

test.concurrent('a replica set that was refused once is created on the service that replaces its parent', async () => {
  await using world = await startWorld();
  await readyService(world, {}, 'orders');
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'createReplicaSet',
    status: 409,
    body: { message: 'busy' },
  });
  await world.apply(replicaSet('reads', 'orders'));
  await until(
    'a refusal',
    async () => (await world.replicaSet('reads'))?.status?.refusal !== undefined,
  );
  expect(
    await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=20s']),
  ).toMatchObject({ code: 0 });
  world.project.faults.clear();
  const next = await readyService(world, {}, 'orders');
  await world.untilReady('replicaSet', 'reads');
  expect((await world.replicaSet('reads'))?.status?.serviceId).toBe(next);
});

test.concurrent('a recreation with a lost answer becomes Ready, with the password of the new service', async () => {
  await using world = await startWorld();
  const id = await readyService(world, {}, 'orders');
  force(world.project, { kind: 'service', id, status: undefined });
  await world.untilReason('service', 'orders', 'Lost');
  world.project.faults.add({ kind: 'replyLost', operation: 'createService', times: 1 });
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'managed-db.io/allow-recreate': id } },
  });
  await world.untilReady('service', 'orders');
  const next = (await world.service('orders'))?.status?.id ?? '';
  expect(next).not.toBe(id);
  expect((await world.secret('orders-db'))?.['password']).toBe(
    world.project.stores.service.get(next)?.password,
  );
});

test.concurrent('a recreation that was refused needs the same annotation for its next try', async () => {
  await using world = await startWorld();
  const id = await readyService(world, {}, 'orders');
  force(world.project, { kind: 'service', id, status: undefined });
  await world.untilReason('service', 'orders', 'Lost');
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'createService',
    status: 422,
    body: { message: 'quota' },
  });
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'managed-db.io/allow-recreate': id } },
  });
  await world.untilReason('service', 'orders', 'Rejected');
  world.project.faults.clear();
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'managed-db.io/allow-recreate': null } },
  });
  await world.apply(service('orders', { environment: 'DEV' }));
  expect(await world.untilReason('service', 'orders', 'Lost')).toContain(id);
  expect(world.project.everCreated.length).toBe(1);
});

test.concurrent('a recreated resource is not Lost because the previous one had been seen', async () => {
  await using world = await startWorld({ speed: 10, latencyMs: 500 });
  const id = await readyService(world, {}, 'orders');
  force(world.project, { kind: 'service', id, status: undefined });
  await world.sync('service', 'orders');
  await world.untilReason('service', 'orders', 'Lost');
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'getService',
    status: 404,
    body: { message: 'not yet' },
  });
  world.project.faults.add({ kind: 'truncatedList', operation: 'listServices', drop: 1 });
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'managed-db.io/allow-recreate': id } },
  });
  await until('the create', () => world.project.everCreated.length === 2);
  await world.stopOperators();
  await world.startedOperator();
  await world.sync('service', 'orders');
  expect((await world.service('orders'))?.status?.conditions?.[1]?.reason).toBe('WaitingForCloud');
});

test.concurrent('create-anyway for an existing resource does not cover the resource of an unanswered create', async () => {
  await using world = await startWorld({ speed: 120 });
  await world.createInCloud('services', { name: 'orders', cpu_millis: '1000', memory_gbs: '4' });
  world.project.faults.add({ kind: 'replyLost', operation: 'createService', times: 1 });
  await world.apply(
    service('orders', { name: 'orders' }, { 'managed-db.io/create-anyway': 'true' }),
  );
  await until('the create', () => world.project.everCreated.length === 2);
  const id = world.project.everCreated[1]?.id ?? '';
  // The cloud rounds the size up: the shown size is not equal to the requested size.
  const resources = [{ id: '1', spec: { cpu_millis: 1000, memory_gbs: 5 } }];
  world.project.stores.service
    .get(id)
    ?.timeline.plan(world.clock.now(), [
      { afterMs: 0, change: (before) => before && { ...before, status: 'READY', resources } },
    ]);
  expect(await world.untilReason('service', 'orders', 'AmbiguousCreate')).toContain(
    `managed-db.io/create-anyway=${id}`,
  );
  expect(world.project.everCreated.length).toBe(2);

  // With the id of that resource, create-anyway covers it.
  await world.kubectl([
    'annotate',
    '--overwrite',
    'managedservice',
    'orders',
    `managed-db.io/create-anyway=${id}`,
  ]);
  await world.untilReady('service', 'orders');
  expect(world.project.everCreated.length).toBe(3);
});

test.concurrent('a replica set whose create got no answer, and whose service is gone, was not created: it waits without a loop, and can be deleted', async () => {
  await using world = await startWorld({ speed: 120 });
  const id = await readyService(world);
  world.project.faults.add({ kind: 'dropBefore', operation: 'createReplicaSet', times: 1 });
  await world.apply(replicaSet('reads', 'orders'));
  await until('the create', () => callsOf(world, 'createReplicaSet') === 1);
  force(world.project, { kind: 'service', id, status: undefined });
  await world.untilReason('service', 'orders', 'Lost');
  await world.untilReason('replicaSet', 'reads', 'WaitingForReference');
  const calls = () => [...world.project.calls.values()].reduce((all, each) => all + each, 0);
  const before = calls();
  await letPass(world, 300_000);
  expect(calls() - before).toBeLessThan(120);
  expect(
    await world.kubectl(['delete', 'readreplicasets', 'reads', '--timeout=20s']),
  ).toMatchObject({ code: 0 });
});
