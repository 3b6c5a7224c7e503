import { expect, test } from 'vitest';
import { syncedOf } from '../../../src/resources/condition.ts';
import type { Service } from '../../../src/cloud/wire/service.ts';
import { force } from '../../../src/simulator/store.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { heldReply } from '../../support/held-reply.ts';
import { letPass } from '../../support/let-pass.ts';
import { peering, replicaSet, service, vpc, fork as forkOf } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { readyService } from '../../support/ready-service.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { shiftedDate } from '../../support/shifted-date.ts';
import { replace } from '../../support/replace.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** The operator deletes no resource that must be kept, and leaves no resource that must be deleted. (docs/safety.md, Gone; Deleting) */

async function readyVpc(world: World): Promise<void> {
  await world.applyUntilReady(vpc('prod', { peerings: [peering] }));
}

const noService = (operation: 'getService' | 'listReplicaSets') =>
  ({
    kind: 'errorBefore',
    operation,
    status: 404,
    body: { message: 'no such service' },
  }) as const;

/** Lets lists lack the two newest services, and each GET answer 404. */
function hideServices(world: World): void {
  world.project.faults.add({ kind: 'truncatedList', operation: 'listServices', drop: 2 });
  world.project.faults.add(noService('getService'));
}

/** A service `orders` that another client deleted, and whose object is Lost. */
async function lostService(world: World): Promise<void> {
  const id = await readyService(world);
  force(world.project, { kind: 'service', id, status: undefined });
  await world.untilReason('service', 'orders', 'Lost');
}

test.concurrent('if a list and a GET both wrongly lack a service, the cloud is still asked to delete it', async () => {
  await using world = await startWorld();
  await readyService(world, {}, 'a');
  await readyService(world, {}, 'b');
  const id = await readyService(world);
  hideServices(world);
  await world.untilReason('service', 'orders', 'Lost');
  expect(
    await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=20s']),
  ).toMatchObject({ code: 0 });
  expect(world.project.everCreated.find((each) => each.id === id)?.deletedAt).toBeDefined();
});

const refusal = (status: number) =>
  ({
    kind: 'errorBefore',
    operation: 'deleteService',
    status,
    body: { code: 'no', message: 'no such right' },
  }) as const;

test.concurrent('a service that is gone, and whose DELETE the cloud answers with 410, lets its object go', async () => {
  await using world = await startWorld({ speed: 20 });
  await lostService(world);
  world.project.faults.add(refusal(410));
  await world.delete('service', 'orders');
  await world.untilGone('service', 'orders');
  expect(callsOf(world, 'deleteService')).toBe(1);
});

test.concurrent.each([
  ['service', 409],
  ['replicaSet', 400],
] as const)(
  'a %s that is not shown, and whose DELETE the cloud refuses with %i, may be there: its object waits for Retain',
  async (kind, status) => {
    await using world = await startWorld({ speed: 20 });
    world.project.includeReplicaSets = false;
    await world.apply(service('orders'), replicaSet('reads', 'orders'));
    await world.untilReady('replicaSet', 'reads');
    const name = kind === 'service' ? 'orders' : 'reads';
    const { id = '' } = await recordOf(
      world,
      kind === 'service' ? await world.service(name) : await world.replicaSet(name),
    );
    const operation = kind === 'service' ? 'deleteService' : 'deleteReplicaSet';
    const resource = kind === 'service' ? 'managedservices' : 'readreplicasets';
    if (kind === 'service') await world.remove('replicaSet', 'reads');
    force(world.project, { kind, id, status: undefined });
    world.project.faults.add({ ...refusal(status), operation });
    await world.kubectl(['delete', '--wait=false', resource, name]);
    const words =
      status === 400
        ? 'the operator repeats the DELETE later'
        : 'tried again until it can, or set spec.deletionPolicy to Retain';
    const told = async () =>
      syncedOf(
        (kind === 'service' ? await world.service(name) : await world.replicaSet(name)) ?? {},
      )?.message ?? '';
    await until('the way out', async () => (await told()).includes(words), told);
    await world.kubectl([
      'patch',
      resource,
      name,
      '--type=merge',
      '-p',
      '{"spec":{"deletionPolicy":"Retain"}}',
    ]);
    expect(callsOf(world, operation)).toBeGreaterThan(0);
    await world.untilGone(kind, name);
  },
);

test.concurrent.each([
  [
    'the right to delete it lets its object go',
    async (world: World) => Promise.resolve(world.project.faults.clear()),
    false,
  ],
  [
    'Retain lets its object go, and keeps the Secret',
    async (world: World) => {
      await world.patch('service', 'orders', { spec: { deletionPolicy: 'Retain' } });
    },
    true,
  ],
])(
  'a service that is gone, and that the key may not delete, says so; %s',
  async (_, carryOut, isKept) => {
    await using world = await startWorld({ speed: 20 });
    await lostService(world);
    world.project.faults.add(refusal(403));
    await world.delete('service', 'orders');
    expect(await world.untilReason('service', 'orders', 'Unauthorized')).toContain(
      'allow the API key to delete',
    );
    await carryOut(world);
    await world.untilGone('service', 'orders');
    expect((await world.kubectl(['get', 'secret', 'orders-db'])).code).toBe(isKept ? 0 : 1);
  },
);

const failure = { kind: 'errorBefore', operation: 'deleteService', status: 503 } as const;

test.concurrent('a service whose DELETE failed gets a second DELETE even if lists and GETs lack the service', async () => {
  await using world = await startWorld({ speed: 60 });
  await readyService(world, {}, 'a');
  const id = await readyService(world);
  world.project.faults.add(failure);
  await world.delete('service', 'orders');
  await until('the first DELETE', () => callsOf(world, 'deleteService') > 0);
  world.project.faults.add({ kind: 'truncatedList', operation: 'listServices', drop: 1 });
  world.project.faults.add(noService('getService'));
  await letPass(world, 60_000);
  expect((await world.service('orders'))?.metadata.deletionTimestamp).toBeDefined();
  world.project.faults.clear();
  await world.untilGone('service', 'orders');
  expect(world.project.everCreated.find((each) => each.id === id)?.deletedAt).toBeDefined();
});

test.concurrent('a service that the cloud calls DELETED for a moment is deleted before its object and its password go', async () => {
  await using world = await startWorld({ speed: 60 });
  const id = await readyService(world);
  world.project.stores.service.get(id)?.timeline.plan(world.clock.now(), [
    { afterMs: 0, change: (seen) => ({ ...seen, status: 'DELETED' }) },
    { afterMs: 20_000, change: (seen) => ({ ...seen, status: 'READY' }) },
  ]);
  await world.sync('service', 'orders');
  await world.delete('service', 'orders');
  await world.untilGone('service', 'orders');
  expect(world.project.everCreated.find((each) => each.id === id)?.deletedAt).toBeDefined();
});

test.concurrent('a service that the cloud calls DELETED, and whose DELETE failed, is deleted before its object goes', async () => {
  await using world = await startWorld({ speed: 60 });
  const id = await readyService(world);
  force(world.project, { kind: 'service', id, status: 'DELETED' });
  world.project.faults.add(failure);
  await world.delete('service', 'orders');
  await until('the first DELETE', () => callsOf(world, 'deleteService') > 0);
  await letPass(world, 120_000);
  expect((await world.service('orders'))?.metadata.deletionTimestamp).toBeDefined();
  world.project.faults.clear();
  force(world.project, { kind: 'service', id, status: 'READY' });
  await world.untilGone('service', 'orders');
  expect(world.project.everCreated.find((each) => each.id === id)?.deletedAt).toBeDefined();
});

test.concurrent('a service that stays DELETED, and whose DELETE is answered with 404, releases its object after a single DELETE', async () => {
  await using world = await startWorld({ speed: 60 });
  const id = await readyService(world);
  force(world.project, { kind: 'service', id, status: 'DELETED' });
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'deleteService',
    status: 404,
    body: { message: 'it is deleted' },
  });
  await world.untilReason('service', 'orders', 'Lost');
  await world.delete('service', 'orders');
  await world.untilGone('service', 'orders');
  expect(callsOf(world, 'deleteService')).toBe(1);
});

test.concurrent('services that all disappear at once all become Lost, although each list lacks all services', async () => {
  await using world = await startWorld();
  // More services than the operator requests individually.
  const names = Array.from({ length: 14 }, (_, at) => `orders-${at}`);
  await world.apply(...names.map((name) => service(name)));
  for (const name of names) await world.untilReady('service', name);
  for (const { id } of world.project.everCreated)
    force(world.project, { kind: 'service', id, status: undefined });
  for (const name of names) {
    const { id = '' } = await recordOf(world, await world.service(name));
    expect(await world.untilReason('service', name, 'Lost')).toContain(id);
  }
});

test.concurrent('a deletion is marked before the first peering is deleted', async () => {
  await using world = await startWorld();
  await readyVpc(world);
  world.project.faults.add({ kind: 'errorBefore', operation: 'deletePeering', status: 503 });
  await world.delete('vpc', 'prod');
  await until('a DELETE', () => callsOf(world, 'deletePeering') > 0);
  expect((await recordOf(world, await world.vpc('prod'))).deletionStarted).toBeDefined();
});

test.concurrent('Retain that is set after the first peering was deleted keeps the VPC while the cloud refuses its DELETE', async () => {
  await using world = await startWorld();
  await readyVpc(world);
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'deleteVpc',
    status: 409,
    body: { message: 'busy' },
  });
  await world.delete('vpc', 'prod');
  await until('the DELETE of the VPC', () => callsOf(world, 'deleteVpc') > 0);
  await world.patch('vpc', 'prod', { spec: { deletionPolicy: 'Retain' } });
  await world.untilGone('vpc', 'prod');
  expect(
    world.project.everCreated.flatMap(({ kind, deletedAt }) =>
      deletedAt === undefined ? [kind] : [],
    ),
  ).toEqual(['vpc']);
  expect(
    world.log.some((line) =>
      line.includes('the VPC stays in the cloud, unless an earlier DELETE is still carried out'),
    ),
  ).toBe(true);
});

test.concurrent('a peering whose DELETE had no effect is remembered, and not deleted in a loop', async () => {
  await using world = await startWorld();
  await readyVpc(world);
  world.project.faults.add({ kind: 'ignored', operation: 'deletePeering', times: 2 });
  await world.applyUntilReady(vpc('prod'));
  expect(
    [...world.project.stores.peering.values()].filter(
      ({ timeline }) => timeline.at(world.clock.now()) !== undefined,
    ),
  ).toEqual([]);
  expect([
    callsOf(world, 'deletePeering'),
    (await recordOf(world, await world.vpc('prod'))).peerings,
  ]).toEqual([3, {}]);
});

/** Waits until a deletion of `orders` is sent, or held back with these words. @returns the whole message */
async function untilDecided(
  world: World,
  words = 'nothing depends on the service',
): Promise<string> {
  return until('the deletion to be sent or held back', async () => {
    if (callsOf(world, 'deleteService') > 0) return 'it is sent';
    const condition = (await world.service('orders'))?.status?.conditions?.find(
      ({ type }) => type === 'Synced',
    );
    return condition?.message.includes(words) === true && condition.message;
  });
}

/** A fork of the ready service `orders` that the cloud goes on copying. @returns its id */
async function unfinishedFork(world: World): Promise<string> {
  await readyService(world);
  world.project.latencyMs = 600_000;
  await world.apply(forkOf('drill', 'orders'));
  const { id } = await until('the fork', async () => {
    const record = await recordOf(world, await world.service('drill'));
    return record.id !== undefined && record;
  });
  force(world.project, { kind: 'service', id: id ?? '', status: 'CONFIGURING' });
  return id ?? '';
}

/** A fork of the ready service `orders` that another client made, and that the cloud goes on copying. @returns its id */
async function foreignFork(world: World): Promise<string> {
  const id = await readyService(world);
  await world.createInCloud(`services/${id}/forkService`, { name: 'copy', fork_strategy: 'NOW' });
  const fork = world.project.everCreated.at(-1)?.id ?? '';
  force(world.project, { kind: 'service', id: fork, status: 'CONFIGURING' });
  return fork;
}

test.concurrent.each([
  ['the source', 2, foreignFork],
  ['the fork', 1, unfinishedFork],
] as const)(
  'a fork that was never READY holds its source, even while a list lacks %s',
  async (_, drop, makeFork) => {
    await using world = await startWorld({ latencyMs: 3_000 });
    const fork = await makeFork(world);
    world.project.faults.add({ kind: 'truncatedList', operation: 'listServices', drop });
    await world.delete('service', 'orders');
    expect(await untilDecided(world)).toContain('nothing depends on the service');
    await world.sync('service', 'orders');
    expect(callsOf(world, 'deleteService')).toBe(0);
    world.project.faults.clear();
    await untilDecided(world, 'waits for 1 unfinished fork');
    force(world.project, { kind: 'service', id: fork, status: 'READY' });
    await world.untilGone('service', 'orders');
  },
);

test.concurrent('a fork that was never READY holds its source, even while lists and GETs lack the source and the fork', async () => {
  await using world = await startWorld({ latencyMs: 3_000 });
  await readyService(world, {}, 'other');
  const fork = await unfinishedFork(world);
  const [, source] = world.project.everCreated;
  hideServices(world);
  await world.untilReason('service', 'orders', 'Lost');
  await world.untilReason('service', 'drill', 'Lost');
  await world.delete('service', 'orders');
  expect(await untilDecided(world, 'waits for 1 unfinished fork')).toContain(
    '1 unfinished fork: drill',
  );
  await world.sync('service', 'orders');
  expect(callsOf(world, 'deleteService')).toBe(0);
  world.project.faults.clear();
  force(world.project, { kind: 'service', id: fork, status: 'READY' });
  await world.untilGone('service', 'orders');
  expect(world.project.everCreated.find(({ id }) => id === source?.id)?.deletedAt).toBeDefined();
});

test.concurrent('the objects of a service and its fork are released when both services were removed elsewhere', async () => {
  await using world = await startWorld({ latencyMs: 3_000 });
  await unfinishedFork(world);
  for (const { id } of world.project.everCreated)
    force(world.project, { kind: 'service', id, status: undefined });
  await world.untilReason('service', 'orders', 'Lost');
  await world.delete('service', 'orders');
  await world.delete('service', 'drill');
  await world.untilGone('service', 'drill');
  await world.untilGone('service', 'orders');
  expect(callsOf(world, 'deleteService')).toBe(2);
});

test.concurrent('a service that is gone lets its object go, though the list of its replica sets answers 404', async () => {
  await using world = await startWorld({ speed: 60 });
  await lostService(world);
  world.project.faults.add(noService('listReplicaSets'));
  await world.delete('service', 'orders');
  await world.untilGone('service', 'orders');
  expect(callsOf(world, 'deleteService'), 'to be sure of the absence').toBe(1);
});

test.concurrent('a service that is gone waits for the list of its replica sets while the key has no right to it, until it is to be kept', async () => {
  await using world = await startWorld({ speed: 60 });
  await lostService(world);
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'listReplicaSets',
    status: 403,
    body: { message: 'no' },
  });
  await world.delete('service', 'orders');
  expect(await world.untilReason('service', 'orders', 'Unauthorized')).toContain(
    'or set spec.deletionPolicy to Retain',
  );
  expect(callsOf(world, 'deleteService')).toBe(0);
  await world.patch('service', 'orders', { spec: { deletionPolicy: 'Retain' } });
  await world.untilGone('service', 'orders');
});

test.concurrent.each([
  ['is suspended', { suspend: true }, { suspend: false }],
  ['the cloud refuses', { cpuMillis: 501, memoryGbs: 2 }, { cpuMillis: 1_000, memoryGbs: 4 }],
  ['waits for a VPC', { vpcRef: { name: 'later' } }, { vpcRef: null }],
])(
  'a fork that %s holds its source, which is deleted once the fork was READY',
  async (_, spec, corrected) => {
    await using world = await startWorld({ latencyMs: 0, endsRestless: 'a fork is refused' });
    const id = await readyService(world);
    await world.apply(forkOf('drill', 'orders', spec));
    await world.delete('service', 'orders');
    expect(await world.untilReason('service', 'orders', 'DeletionBlocked')).toContain(
      'deletion waits for 1 unfinished fork: drill; wait until it was READY, or delete it',
    );
    await world.patch('service', 'drill', { spec: corrected });
    await world.untilReady('service', 'drill');
    await world.untilGone('service', 'orders');
    const made = world.project.everCreated.map((each) => [
      each.id === id,
      each.deletedAt !== undefined,
    ]);
    expect(made).toEqual([
      [true, true],
      [false, false],
    ]);
  },
);

test.concurrent('a fork that is applied and a source that is deleted at once end as a copy without its source', async () => {
  await using world = await startWorld({ latencyMs: 0 });
  const id = await readyService(world);
  await Promise.all([world.apply(forkOf('drill', 'orders')), world.delete('service', 'orders')]);
  await world.untilReady('service', 'drill');
  await world.untilGone('service', 'orders');
  const left = world.project.everCreated.filter(({ deletedAt }) => deletedAt === undefined);
  expect(left.map((each) => each.id === id)).toEqual([false]);
});

test.concurrent.each([
  ['fork', 'forkService', forkOf('drill', 'orders'), 'unfinished fork: drill'],
  ['replica set', 'createReplicaSet', replicaSet('drill', 'orders'), 'replica set: drill'],
] as const)(
  'a %s whose create got no answer holds its service, even while no list has it',
  async (_, operation, manifest, words) => {
    await using world = await startWorld();
    await readyService(world);
    world.project.includeReplicaSets = false;
    await letPass(world, 70_000);
    world.project.listLagMs = 60_000;
    world.clock.runAt(5);
    world.project.faults.add({ kind: 'replyLost', operation, times: 1 });
    await world.apply(manifest);
    await until('the request', () => callsOf(world, operation) > 0);
    await world.delete('service', 'orders');
    expect(await untilDecided(world, 'waits for')).toContain(words);
    expect(callsOf(world, 'deleteService')).toBe(0);
  },
);

test.concurrent('a create without an answer holds its service, though a server of the cloud has a clock a quarter of an hour ahead', async () => {
  await using world = await startWorld({ start: false });
  const cloud = shiftedDate(world.simulator.url);
  await world.startOperator({ intercept: cloud.intercept });
  await readyService(world);
  await letPass(world, 70_000);
  world.project.listLagMs = 60_000;
  world.clock.runAt(5);
  world.project.faults.add({ kind: 'replyLost', operation: 'forkService', times: 1 });
  await world.apply(forkOf('drill', 'orders'));
  await until('the request', () => callsOf(world, 'forkService') > 0);
  cloud.aheadMs = 900_000;
  // A reply with that clock comes before anything is decided.
  await world.sync('service', 'orders');
  await world.delete('service', 'orders');
  expect(await untilDecided(world, 'waits for')).toContain('unfinished fork: drill');
  expect(callsOf(world, 'deleteService')).toBe(0);
});

test.concurrent('a fork that begins after the last look for dependents holds its service', async () => {
  const marking = heldReply(
    ({ body }) => typeof body === 'string' && body.includes('deletionStarted'),
  );
  await using world = await startWorld({ start: false });
  await world.startOperator({ intercept: marking.intercept, ...sharedProject });
  const id = await readyService(world);
  await letPass(world, 70_000);
  await world.delete('service', 'orders');
  await marking.answered;
  world.clock.runAt(1);
  world.project.faults.add({ kind: 'replyLost', operation: 'forkService', times: 1 });
  await world.apply(service('drill', { fork: { serviceId: id, strategy: 'NOW' } }));
  await until(
    'the record of the fork',
    async () => (await recordOf(world, await world.service('drill'))).attempt,
  );
  marking.release();
  expect(await untilDecided(world, 'waits for')).toMatch(/unfinished fork.*drill/u);
  expect(callsOf(world, 'deleteService')).toBe(0);
});

test.concurrent('a create that came to nothing holds its service for ten minutes at most', async () => {
  await using world = await startWorld({ speed: 120 });
  await readyService(world);
  world.project.faults.add({ kind: 'dropBefore', operation: 'createReplicaSet' });
  await world.apply(replicaSet('reads', 'orders'));
  await until('the request', () => callsOf(world, 'createReplicaSet') > 0);
  await world.delete('service', 'orders');
  expect(await untilDecided(world, 'waits for')).toContain('replica set: reads');
  await world.untilGone('service', 'orders');
  expect(callsOf(world, 'createReplicaSet')).toBe(1);
});

test.concurrent('a fork that was never READY holds its source, even while lists do not show its origin', async () => {
  await using world = await startWorld({ latencyMs: 3_000 });
  const fork = await unfinishedFork(world);
  const step = { afterMs: 0, change: (seen: Service) => ({ ...seen, forked_from: undefined }) };
  world.project.stores.service.get(fork)?.timeline.plan(world.clock.now(), [step]);
  await world.delete('service', 'orders');
  expect(await untilDecided(world, 'waits for')).toContain('unfinished fork: drill');
  expect(callsOf(world, 'deleteService')).toBe(0);
});

test.concurrent('a replica set that its list lacks holds its service', async () => {
  await using world = await startWorld();
  await world.apply(service('orders'), replicaSet('reads', 'orders'));
  await world.untilReady('replicaSet', 'reads');
  // Slow: ten seconds of such lists would prove that the replica set is gone.
  world.clock.runAt(2);
  world.project.includeReplicaSets = false;
  world.project.faults.add({ kind: 'truncatedList', operation: 'listReplicaSets', drop: 1 });
  await world.delete('service', 'orders');
  expect(await untilDecided(world, 'waits for')).toContain('1 replica set: reads');
  expect(callsOf(world, 'deleteService')).toBe(0);
  world.project.faults.clear();
  world.clock.runAt(60);
  expect(await world.untilReason('service', 'orders', 'DeletionBlocked')).toContain(
    '1 replica set',
  );
});

test.concurrent('a VPC is not deleted by a list that lacks an attached service', async () => {
  await using world = await startWorld({ speed: 20 });
  await world.apply(vpc('prod'), service('orders', { vpcRef: { name: 'prod' } }));
  await world.untilReady('service', 'orders');
  world.project.faults.add({ kind: 'truncatedList', operation: 'listServices', drop: 1 });
  // A list of two seconds ago, which has all, would do.
  const lists = callsOf(world, 'listServices');
  await until('such a list', () => callsOf(world, 'listServices') > lists);
  await world.delete('vpc', 'prod');
  const decision = await until('the deletion to be held back', async () => {
    const condition = (await world.vpc('prod'))?.status?.conditions?.find(
      ({ type }) => type === 'Synced',
    );
    return condition?.reason.startsWith('Delet') === true && condition.message;
  });
  // Not by the service that its GET has put back: other services may be missing from such a list, too.
  expect(decision).toContain('nothing depends on the VPC');
  await world.sync('vpc', 'prod');
  expect(callsOf(world, 'deleteVpc')).toBe(0);
  world.project.faults.clear();
  expect(await world.untilReason('vpc', 'prod', 'DeletionBlocked')).toContain('1 attached service');
});

test.concurrent('the peerings of a VPC stay while a service is on its way into it', async () => {
  await using world = await startWorld({ endsRestless: 'the cloud is at work for an hour' });
  await world.applyUntilReady(vpc('prod', { peerings: [peering] }));
  const id = await readyService(world);
  world.project.latencyMs = 3_600_000;
  await world.apply(service('orders', { vpcRef: { name: 'prod' } }));
  await until(
    'it to be on its way',
    () =>
      world.project.stores.service.get(id)?.timeline.at(world.clock.now())?.status ===
      'CONFIGURING',
    () => world.service('orders'),
  );
  await world.delete('vpc', 'prod');
  expect(await world.untilReason('vpc', 'prod', 'DeletionBlocked')).toContain('1 attached service');
  await letPass(world, 60_000);
  expect([callsOf(world, 'deletePeering'), callsOf(world, 'deleteVpc')]).toEqual([0, 0]);
});

test.concurrent('an attached service stays Ready while the deletion of its VPC waits for it, and no second service is attached any more', async () => {
  await using world = await startWorld({ speed: 10 });
  await world.apply(vpc('prod'), service('orders', { vpcRef: { name: 'prod' } }));
  await world.untilReady('service', 'orders');
  await world.delete('vpc', 'prod');
  await world.untilReason('vpc', 'prod', 'DeletionBlocked');
  await world.sync('service', 'orders');
  expect(
    (await world.service('orders'))?.status?.conditions?.find(({ type }) => type === 'Synced'),
  ).toMatchObject({ reason: 'Available' });
  await world.apply(service('late', { vpcRef: { name: 'prod' } }));
  expect(await world.untilReason('service', 'late', 'WaitingForReference')).toContain(
    'create it again once it is gone',
  );
  expect(callsOf(world, 'attachServiceToVpc')).toBe(1);
  await world.remove('service', 'orders');
  await world.untilGone('vpc', 'prod');
});

test.concurrent('a 404 for the list of replica sets of an existing service does not mean that there are none', async () => {
  await using world = await startWorld();
  // A list of services with their replica sets from the last two seconds would count.
  world.project.includeReplicaSets = false;
  const id = await readyService(world);
  await world.createInCloud(`services/${id}/replicaSets`, {
    name: 'reads',
    nodes: 1,
    cpu_millis: 1000,
    memory_gbs: 4,
  });
  world.project.faults.add(noService('listReplicaSets'));
  await world.delete('service', 'orders');
  expect(await world.untilReason('service', 'orders', 'WaitingForCloud')).toContain(
    'what depends on the service',
  );
  expect(callsOf(world, 'deleteService')).toBe(0);
  world.project.faults.clear();
  expect(await world.untilReason('service', 'orders', 'DeletionBlocked')).toContain(
    '1 replica set',
  );
});

test.concurrent('an object that is only let go asks the cloud nothing: its lists may hang', async () => {
  await using world = await startWorld();
  await world.applyUntilReady(vpc('prod', { deletionPolicy: 'Retain' }));
  await world.stopOperators();
  await world.delete('vpc', 'prod');
  world.project.faults.add({ kind: 'delay', operation: 'listVpcs', delayMs: 600_000 });
  const before = callsOf(world, 'listVpcs');
  await world.startedOperator();
  await world.untilGone('vpc', 'prod');
  expect(callsOf(world, 'listVpcs')).toBe(before);
});

test.concurrent('a fork in an unknown state holds its source', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await world.createInCloud(`services/${id}/forkService`, { name: 'copy', fork_strategy: 'NOW' });
  force(world.project, {
    kind: 'service',
    id: world.project.everCreated.at(-1)?.id ?? '',
    status: 'COPYING',
  });
  // A list of the last two seconds may be older than a fork that another client made.
  await letPass(world, 2_500);
  await world.delete('service', 'orders');
  expect(await untilDecided(world, 'waits for')).toMatch(/1 unfinished fork: \w+ \(no object\)/u);
  expect(callsOf(world, 'deleteService')).toBe(0);
});

test.concurrent('a replica set that lost its record while its service is deleted can be deleted', async () => {
  await using world = await startWorld();
  await world.apply(service('orders'), replicaSet('reads', 'orders'));
  await world.untilReady('replicaSet', 'reads');
  await world.delete('service', 'orders');
  await world.untilReason('service', 'orders', 'DeletionBlocked');
  await replace(world, replicaSet('reads', 'orders'));
  await until(
    'the record',
    async () =>
      (await recordOf(world, await world.replicaSet('reads'))).parentServiceId !== undefined,
  );
  await world.delete('replicaSet', 'reads');
  await world.untilGone('replicaSet', 'reads');
  await world.untilGone('service', 'orders');
  expect(world.project.everCreated.every(({ deletedAt }) => deletedAt !== undefined)).toBe(true);
});

test.concurrent('a fork that was READY once no longer holds its source, whatever its later state', async () => {
  await using world = await startWorld();
  const origin = await readyService(world);
  await world.apply(forkOf('drill', 'orders'));
  await world.untilReady('service', 'drill');
  const { id = '' } = (await world.service('drill'))?.status ?? {};
  force(world.project, { kind: 'service', id, status: 'CONFIGURING' });
  await world.sync('service', 'drill');
  expect((await world.service('drill'))?.status).toMatchObject({
    state: 'CONFIGURING',
    wasReady: true,
  });
  await world.remove('service', 'orders');
  expect(world.project.everCreated.find((each) => each.id === origin)?.deletedAt).toBeDefined();
});

test.concurrent('a replica set whose DELETE had no effect gets a second DELETE even if lists lack the replica set', async () => {
  await using world = await startWorld({ speed: 20 });
  world.project.includeReplicaSets = false;
  await world.apply(service('orders'), replicaSet('reads', 'orders'));
  await world.untilReady('replicaSet', 'reads');
  world.project.faults.add({ kind: 'ignored', operation: 'deleteReplicaSet', times: 3 });
  world.project.faults.add({ kind: 'truncatedList', operation: 'listReplicaSets', drop: 1 });
  await world.delete('replicaSet', 'reads');
  await world.untilGone('replicaSet', 'reads');
  expect(
    world.project.everCreated.find(({ kind }) => kind === 'replicaSet')?.deletedAt,
  ).toBeDefined();
  expect(callsOf(world, 'deleteReplicaSet')).toBeGreaterThan(3);
});

test.concurrent('a replica set that DELETE does not find is not deleted again, however long its lists take', async () => {
  await using world = await startWorld({ speed: 20, latencyMs: 1_000 });
  world.project.includeReplicaSets = false;
  await world.apply(service('orders'), replicaSet('reads', 'orders'));
  await world.untilReady('replicaSet', 'reads');
  world.project.faults.add({ kind: 'delay', operation: 'listReplicaSets', delayMs: 1_000 });
  await world.delete('replicaSet', 'reads');
  await world.untilGone('replicaSet', 'reads');
  // The DELETE that was accepted, and the DELETE that found nothing.
  expect(callsOf(world, 'deleteReplicaSet')).toBe(2);
});
