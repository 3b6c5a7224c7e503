import { expect, test } from 'vitest';
import { letPass } from '../../support/let-pass.ts';
import { fork, peering, replicaSet, service, vpc } from '../../support/manifests.ts';
import { startWorld, type World } from '../../support/world.ts';

/**
 * Whoever does not hold the lease says nothing to the cloud that would change anything: the next leader is at work already.
 * (docs/safety.md, Creating exactly once; Deleting)
 */

const changesOf = ({ project }: World) => [...project.commits].filter(([, count]) => count > 0).map(([operation]) => operation);

/** An operator whose lease can be taken from it. */
async function worldWithLease() {
  const world = await startWorld({ start: false, endsRestless: 'what it may not send, it tries again' });
  const lease = { held: true };
  await (
    await world.startOperator({ leadership: lease })
  ).started;
  return { world, lease };
}

test('without the lease nothing is created', async () => {
  const { world, lease } = await worldWithLease();
  await using _ = world;
  await world.apply(service('orders'));
  await world.untilReady('service', 'orders');
  world.project.commits.clear();
  lease.held = false;
  await world.apply(vpc('prod', { peerings: [peering] }), service('users'), replicaSet('reads', 'orders'), fork('copy', 'orders'));
  await letPass(world, 60_000);
  expect(changesOf(world)).toEqual([]);
  lease.held = true;
  await world.untilReady('vpc', 'prod');
});

test('without the lease nothing is changed, and nothing deleted', async () => {
  const { world, lease } = await worldWithLease();
  await using _ = world;
  await world.apply(vpc('prod', { peerings: [peering] }), vpc('old'), service('orders'), service('users'), replicaSet('reads', 'orders'));
  for (const name of ['prod', 'old']) await world.untilReady('vpc', name);
  for (const name of ['orders', 'users']) await world.untilReady('service', name);
  await world.untilReady('replicaSet', 'reads');
  world.project.commits.clear();
  lease.held = false;
  await world.apply(
    vpc('prod', { name: 'other', peerings: [] }),
    service('orders', { cpuMillis: 2000, password: { rotation: 'two' }, powerState: 'Stopped', vpcRef: { name: 'prod' } }),
    replicaSet('reads', 'orders', { cpuMillis: 2000 }),
  );
  await world.kubectl(['delete', '--wait=false', 'managedservice/users', 'managedvpc/old']);
  await letPass(world, 60_000);
  expect(changesOf(world)).toEqual([]);
});
