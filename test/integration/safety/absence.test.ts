import { expect, test } from 'vitest';
import { force } from '../../../src/simulator/store.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { pagesFor } from '../../support/gateway.ts';
import { letPass } from '../../support/let-pass.ts';
import { peering, replicaSet, secret, service, vpc } from '../../support/manifests.ts';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** The proof that a resource is gone, and the obstacles that must not prevent it. (docs/safety.md, Gone) */

const listCalls = (world: World) =>
  callsOf(world, 'listServices') + callsOf(world, 'listReplicaSets');

test.concurrent('an object with a revoked key does not hold up the deletion of another', async () => {
  await using world = await startWorld({ speed: 120 });
  const { apiKey } = world.project;
  await world.apply(secret('cloud-a', { apiKey }), secret('cloud-b', { apiKey }));
  const revoked = { credentialsRef: { name: 'cloud-a' } };
  const id = await readyService(world, revoked, 'revoked');
  await readyService(world, { credentialsRef: { name: 'cloud-b' } }, 'other');
  await world.apply(
    secret('cloud-a', { apiKey: 'revoked' }),
    service('revoked', { ...revoked, environment: 'DEV' }),
  );
  await world.untilReason('service', 'revoked', 'Unauthorized');
  force(world.project, { kind: 'service', id, status: undefined });
  await world.delete('service', 'other');
  await world.untilGone('service', 'other');
  expect(callsOf(world, 'deleteService')).toBe(1);
});

test.concurrent('the deletion of a replica set, which takes the cloud a while, costs a few lists', async () => {
  await using world = await startWorld({ speed: 20, latencyMs: 10_000 });
  await world.apply(service('orders'), replicaSet('reads', 'orders'));
  await world.untilReady('replicaSet', 'reads');
  const before = listCalls(world);
  await world.delete('replicaSet', 'reads');
  await world.untilGone('replicaSet', 'reads');
  expect(listCalls(world) - before).toBeLessThan(25);
});

test.concurrent('replica sets that are lost together become Lost without lists in a loop', async () => {
  await using world = await startWorld();
  await world.apply(service('orders'), replicaSet('a', 'orders'), replicaSet('b', 'orders'));
  for (const name of ['a', 'b']) await world.untilReady('replicaSet', name);
  for (const name of ['a', 'b']) {
    force(world.project, {
      kind: 'replicaSet',
      id: (await world.replicaSet(name))?.status?.id ?? '',
      status: undefined,
    });
  }
  for (const name of ['a', 'b']) await world.untilReason('replicaSet', name, 'Lost');
  const before = listCalls(world);
  await letPass(world, 120_000);
  // A list of services and a list of replica sets each minute, and at most a single extra look by any of the
  // three objects.
  expect(listCalls(world) - before).toBeLessThan(12);
});

test.concurrent('a replica set whose service is gone becomes Lost by itself', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await world.applyUntilReady(replicaSet('reads', 'orders'));
  force(world.project, { kind: 'service', id, status: undefined });
  await world.untilReason('service', 'orders', 'Lost');
  expect(await world.untilReason('replicaSet', 'reads', 'Lost')).toContain('allow-recreate');
});

test.concurrent('a VPC with five peerings is gone within 45 seconds, though all lists lag by five seconds', async () => {
  await using world = await startWorld({ speed: 5, latencyMs: 0 });
  const peerings = Array.from({ length: 5 }, (_, n) => ({
    ...peering,
    peerVpcId: `vpc-0a1b2c3${n}`,
  }));
  await world.applyUntilReady(vpc('prod', { peerings }));
  world.project.faults.add({ kind: 'staleList', operation: '*', ageMs: 5_000 });
  const begun = world.clock.now();
  await world.remove('vpc', 'prod');
  expect(
    world.clock.now() - begun,
    'a second proof for each peering would take two minutes, removals in turn a minute',
  ).toBeLessThan(45_000);
  expect(callsOf(world, 'deletePeering')).toBe(5);
});

test.concurrent('a moment in which the cloud answers 404 to everything leaves no living service behind', async () => {
  await using world = await startWorld({ speed: 5, latencyMs: 0 });
  await readyService(world);
  await readyService(world, {}, 'billing');
  world.project.faults.add({ kind: 'notYet', operation: '*', ageMs: 600_000 });
  await world.delete('service', 'orders');
  await until('a GET', () => callsOf(world, 'getService') > 0);
  await letPass(world, 2_000);
  world.project.faults.clear();
  await world.untilGone('service', 'orders');
  expect(world.project.commits.get('deleteService')).toBe(1);
});

test.concurrent.each(['<html>404 nginx</html>', ''])(
  'a gateway that answers 404 with the body %j, beside a list without the service, releases no object of a living service',
  async (page) => {
    await using world = await startWorld({ speed: 10, latencyMs: 0, start: false });
    await world.startOperator({
      intercept: pagesFor(404, page, () => world.project.faults.list().length > 0),
    });
    await readyService(world);
    world.project.faults.add({ kind: 'notYet', operation: '*', ageMs: 600_000 });
    await world.delete('service', 'orders');
    await until('a GET', () => callsOf(world, 'getService') > 0);
    await letPass(world, 25_000);
    const message = await world.untilReason('service', 'orders', 'UnexpectedReply');
    expect(message).toContain("(a 404 without the API's error body, as from a gateway)");
    world.project.faults.clear();
    await world.untilGone('service', 'orders');
    expect(world.project.commits.get('deleteService')).toBe(1);
  },
);
