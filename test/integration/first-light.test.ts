import { expect, test } from 'vitest';
import { fork, peering, replicaSet, service, vpc } from '../support/manifests.ts';
import { until } from '../support/until.ts';
import { startWorld } from '../support/world.ts';

test('a VPC, a service in it, a fork and a replica set become Ready in any order, and can be deleted', async () => {
  await using world = await startWorld();
  await world.apply(
    replicaSet('reads', 'orders'),
    fork('drill', 'orders'),
    service('orders', { vpcRef: { name: 'prod' } }),
    vpc('prod', { peerings: [peering] }),
  );
  await world.untilReady('vpc', 'prod');
  await world.untilReady('service', 'orders');
  await world.untilReady('service', 'drill');
  await world.untilReady('replicaSet', 'reads');
  expect(world.project.everCreated.map(({ kind }) => kind).toSorted()).toEqual([
    'peering',
    'replicaSet',
    'service',
    'service',
    'vpc',
  ]);

  const orders = await world.service('orders');
  const secret = await world.secret('orders-db');
  expect(world.project.stores.service.get(orders?.status?.id ?? '')?.password).toBe(
    secret?.['password'],
  );
  expect((await world.secret('reads-replicas-db'))?.['password']).toBe(secret?.['password']);

  const deleted = await world.kubectl([
    'delete',
    '--wait=false',
    'mvpc/prod',
    'msvc/orders',
    'msvc/drill',
    'rrset/reads',
  ]);
  expect(deleted.stderr).toBe('');
  for (const name of ['orders', 'drill']) await world.untilGone('service', name);
  await world.untilGone('replicaSet', 'reads');
  await world.untilGone('vpc', 'prod');
  await until('an empty cloud', () =>
    world.project.everCreated.every(({ deletedAt }) => deletedAt !== undefined),
  );
  expect(await world.secret('orders-db')).toBeUndefined();
});
