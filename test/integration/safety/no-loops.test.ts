import { expect, test } from 'vitest';
import { fence } from '../../crash/fence.ts';
import { altering } from '../../support/altering.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { letPass } from '../../support/let-pass.ts';
import { peering, replicaSet, secret, service, vpc } from '../../support/manifests.ts';
import { readyService } from '../../support/ready-service.ts';
import { recordOf } from '../../support/read-record.ts';
import { until } from '../../support/until.ts';
import { ledgerNamespace, startWorld, type World } from '../../support/world.ts';

/** The operator does not repeat a request that cannot succeed now, and an object at rest costs next to nothing. */

const allCalls = (world: World) =>
  [...world.project.calls.values()].reduce((all, each) => all + each, 0);

async function watchedWorld(speed: number) {
  const world = await startWorld({ speed, start: false });
  const watched = fence();
  await world.startedOperator({ intercept: watched.intercept });
  return { world, writes: () => watched.calls.length };
}

test.each([
  ['is busy', 409],
  ['is refused', 422],
] as const)(
  'a peering whose removal %s (%i) is not requested in a loop while its VPC is deleted',
  async (_what, status) => {
    await using world = await startWorld();
    await world.applyUntilReady(vpc('prod', { peerings: [peering] }));
    world.project.faults.add({
      kind: 'errorBefore',
      operation: 'deletePeering',
      status,
      body: { message: 'no' },
    });
    await world.delete('vpc', 'prod');
    await until('a try', () => callsOf(world, 'deletePeering') > 0);
    await letPass(world, 60_000);
    expect(callsOf(world, 'deletePeering')).toBeLessThan(8);
  },
);

test('a change that is busy or refused is requested at longer and longer intervals', async () => {
  const { world, writes } = await watchedWorld(30);
  await using _ = world;
  await world.apply(
    vpc('prod', { peerings: [peering] }),
    service('orders'),
    replicaSet('reads', 'orders'),
  );
  await world.untilReady('vpc', 'prod');
  await world.untilReady('service', 'orders');
  await world.untilReady('replicaSet', 'reads');
  const operations = [
    'deletePeering',
    'createPeering',
    'resizeService',
    'updateServicePassword',
    'setServiceEnvironment',
    'resizeReplicaSet',
    'enableReplicaSetPooler',
    'renameVpc',
  ] as const;
  for (const operation of operations)
    world.project.faults.add({
      kind: 'errorBefore',
      operation,
      status: 409,
      body: { message: 'busy' },
    });
  const before = writes();
  await world.apply(
    vpc('prod', { name: 'other', peerings: [{ ...peering, peerVpcId: 'vpc-9' }] }),
    service('orders', { cpuMillis: 2000, password: { rotation: 'x' }, environment: 'PROD' }),
    replicaSet('reads', 'orders', { cpuMillis: 2000, connectionPooler: { enabled: true } }),
  );
  await letPass(world, 60_000);
  const tries = Object.fromEntries(
    operations.map((operation) => [operation, callsOf(world, operation)]),
  );
  expect(Object.entries(tries).filter(([, times]) => times === 0 || times > 8)).toEqual([]);
  expect(writes() - before).toBeLessThan(120);
});

test('a deleted service is no longer waited for: a quiet fleet costs one list a minute', async () => {
  await using world = await startWorld({ speed: 120 });
  await readyService(world, {}, 'kept');
  await readyService(world);
  await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=20s']);
  await letPass(world, 60_000);
  const before = callsOf(world, 'listServices');
  await letPass(world, 300_000);
  expect(callsOf(world, 'listServices') - before).toBeLessThan(8);
});

test('objects that refer to each other become quiet', async () => {
  const { world, writes } = await watchedWorld(120);
  await using _ = world;
  const reads = [replicaSet('reads', 'orders'), replicaSet('more', 'orders')];
  await world.apply(
    vpc('prod', { peerings: [peering] }),
    service('orders', { vpcRef: { name: 'prod' } }),
    ...reads,
  );
  for (const name of ['reads', 'more']) await world.untilReady('replicaSet', name);
  const wanted = {
    vpcRef: { name: 'prod' },
    password: { rotation: 'a' },
    connectionSecret: { name: 'elsewhere' },
  };
  await world.apply(service('orders', wanted));
  await until('the move', () => world.secret('elsewhere'));
  await letPass(world, 120_000);
  const before = { writes: writes(), calls: allCalls(world) };
  await letPass(world, 120_000);
  expect(writes() - before.writes).toBeLessThan(3);
  expect(allCalls(world) - before.calls).toBeLessThan(20);
});

test('a blocked deletion is visited when its blocker changes, and costs almost nothing until then', async () => {
  await using world = await startWorld({ speed: 120 });
  await readyService(world);
  await world.applyUntilReady(replicaSet('reads', 'orders'));
  await world.delete('service', 'orders');
  await world.untilReason('service', 'orders', 'DeletionBlocked');
  const before = allCalls(world);
  await letPass(world, 600_000);
  // A single list each minute.
  expect(allCalls(world) - before).toBeLessThan(15);
  await world.delete('replicaSet', 'reads');
  await world.untilGone('service', 'orders');
});

test('blocked deletions whose replica sets are listed one by one cost a list a minute each', async () => {
  await using world = await startWorld({ speed: 120 });
  const services = ['a', 'b', 'c'];
  for (const name of services) await readyService(world, {}, name);
  await world.apply(...services.map((name) => replicaSet(`reads-${name}`, name)));
  for (const name of services) await world.untilReady('replicaSet', `reads-${name}`);
  world.project.includeReplicaSets = false;
  await world.kubectl(['delete', '--wait=false', 'managedservice', ...services]);
  for (const name of services) await world.untilReason('service', name, 'DeletionBlocked');
  const before = { each: callsOf(world, 'listReplicaSets'), all: allCalls(world) };
  await letPass(world, 600_000);
  const each = callsOf(world, 'listReplicaSets') - before.each;
  expect(each).toBeGreaterThan(0);
  expect(each).toBeLessThanOrEqual(11 * services.length);
  // A single list of services each minute, for all objects.
  expect(allCalls(world) - before.all - each).toBeLessThan(15);
  await world.kubectl(['delete', '--wait=false', 'readreplicasets', '--all']);
  for (const name of services) await world.untilGone('service', name);
});

test('objects that cannot be created now share a list', async () => {
  await using world = await startWorld({ speed: 1 });
  await world.createInCloud('services', { name: 'taken', cpu_millis: '1000', memory_gbs: '4' });
  const names = ['a', 'b', 'c', 'd'];
  await world.apply(...names.map((name) => service(name, { name: 'taken' })));
  for (const name of names) await world.untilReason('service', name, 'SameNameExists');
  const before = callsOf(world, 'listServices');
  for (const name of names) await world.sync('service', name);
  expect(callsOf(world, 'listServices') - before).toBeLessThan(names.length - 1);
  expect(callsOf(world, 'createService')).toBe(1);
});

test('unneeded lists are not requested: peerings that left the spec, and those of another API key', async () => {
  await using world = await startWorld({ speed: 60 });
  const other = world.simulator.addProject({ clock: world.clock });
  const own = { credentialsRef: { name: 'cloud' } };
  await world.apply(
    secret('cloud', { apiKey: world.project.apiKey }),
    vpc('prod', { ...own, peerings: [peering] }),
    service('orders', own),
  );
  await world.untilReady('vpc', 'prod');
  await world.untilReady('service', 'orders');
  await world.apply(vpc('prod', own));
  await until('the peering to go', () =>
    [...world.project.stores.peering.values()].every(
      ({ timeline }) => !timeline.at(world.clock.now()),
    ),
  );
  const record = async () => recordOf(world, await world.vpc('prod'));
  await until(
    'the proof that it is gone',
    async () => Object.keys((await record()).peerings ?? { some: 1 }).length === 0,
    record,
  );
  await letPass(world, 60_000);
  const peerings = callsOf(world, 'listPeerings');
  await letPass(world, 300_000);
  expect(callsOf(world, 'listPeerings')).toBe(peerings);
  await world.apply(secret('cloud', { apiKey: other.apiKey }));
  await world.untilReason('service', 'orders', 'ForeignProject');
  await world.untilReason('vpc', 'prod', 'ForeignProject');
  const calls = allCalls(world);
  await letPass(world, 300_000);
  expect(allCalls(world)).toBe(calls);
});

test('the largest number of peerings makes no loop', async () => {
  await using world = await startWorld();
  const peerings = Array.from({ length: 64 }, (_, index) => ({
    ...peering,
    peerVpcId: `vpc-${index}`,
  }));
  await world.applyUntilReady(vpc('prod', { peerings }));
  expect(world.log.filter((line) => line.includes('NotConverging'))).toEqual([]);
});

test('an adoption of the service of another installation says so, and writes nothing to the ledger', async () => {
  await using one = await startWorld();
  const id = await readyService(one);
  await using two = await startWorld({
    start: false,
    settings: { cloudUrl: new URL(one.simulator.url) },
  });
  const watched = fence();
  await two.startedOperator({ intercept: watched.intercept });
  await two.apply(secret('cloud', { apiKey: one.project.apiKey }));
  await two.apply(
    service('orders', { credentialsRef: { name: 'cloud' } }, { 'managed-db.io/external-id': id }),
  );
  expect(await two.untilReason('service', 'orders', 'OwnedByAnother')).toContain(
    `${id} belongs to a ManagedService of another namespace`,
  );
  const before = watched.calls.length;
  await letPass(two, 120_000);
  expect(watched.calls.length - before).toBeLessThan(3);
  // The adoption follows within a minute after the owner has released the service.
  await one.patch('service', 'orders', { spec: { deletionPolicy: 'Retain' } });
  await one.remove('service', 'orders');
  await two.untilReady('service', 'orders');
  expect((await two.service('orders'))?.status?.id).toBe(id);
});

test('of two installations that adopt a service at once, a single installation owns it', async () => {
  await using one = await startWorld({ start: false, speed: 20 });
  await using two = await startWorld({
    start: false,
    speed: 20,
    settings: { cloudUrl: new URL(one.simulator.url) },
  });
  await one.createInCloud('services', { name: 'legacy', cpu_millis: '1000', memory_gbs: '4' });
  const id = one.project.everCreated[0]?.id ?? '';
  const worlds = [one, two];
  for (const world of worlds) {
    await world.apply(secret('cloud', { apiKey: one.project.apiKey }));
    const spec = { credentialsRef: { name: 'cloud' } };
    await world.apply({ ...service('orders', {}, { 'managed-db.io/external-id': id }), spec });
  }
  await Promise.all(worlds.map((world) => world.startedOperator()));
  const reasons = async () => {
    const objects = await Promise.all(worlds.map((world) => world.service('orders')));
    const each = objects.map(
      (object) => object?.status?.conditions?.find(({ type }) => type === 'Synced')?.reason ?? '',
    );
    return each.toSorted((a, b) => a.localeCompare(b));
  };
  await until(
    'a single owner',
    async () => (await reasons()).join() === 'Available,OwnedByAnother',
    reasons,
  );
  for (const world of worlds) await world.sync('service', 'orders');
  expect(await reasons()).toEqual(['Available', 'OwnedByAnother']);
});

test('a change of a replica set on a paused service is not requested, and follows once the service runs', async () => {
  await using world = await startWorld();
  await readyService(world);
  await world.applyUntilReady(replicaSet('reads', 'orders'));
  await world.apply(service('orders', { powerState: 'Stopped' }));
  await until('the pause', async () => (await world.service('orders'))?.status?.state === 'PAUSED');
  await world.apply(replicaSet('reads', 'orders', { cpuMillis: 2000 }));
  // Without a change, the stop of the service has the same reason.
  await until('the reason of the wait', async () =>
    (await world.untilReason('replicaSet', 'reads', 'Stopped')).includes('to change the size'),
  );
  expect(await world.untilReason('replicaSet', 'reads', 'Stopped')).toMatch(
    /to change the size: service \S+ is PAUSED: set spec.powerState of its ManagedService to Running, or start it in the cloud/u,
  );
  await letPass(world, 120_000);
  expect(callsOf(world, 'resizeReplicaSet')).toBe(0);
  await world.apply(service('orders', { powerState: 'Running' }));
  await world.untilSynced('replicaSet', 'reads');
  expect(callsOf(world, 'resizeReplicaSet')).toBe(1);
});

test('a service whose ledger entry a webhook alters is not written in a loop', async () => {
  await using world = await startWorld({ start: false });
  const watched = fence();
  const webhook = altering(({ path }) => (path.includes(ledgerNamespace) ? ['entry'] : []));
  await world.startedOperator({ intercept: (dispatch) => watched.intercept(webhook(dispatch)) });
  await world.apply(service('orders'));
  await world.untilReason('service', 'orders', 'InternalError');
  await letPass(world, 120_000);
  expect(watched.calls.filter((call) => call.includes('secrets')).length).toBeLessThan(60);
});
