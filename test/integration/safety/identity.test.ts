import { expect, test } from 'vitest';
import { changeEntries } from '../../support/ledger.ts';
import { fork, replicaSet, service, vpc } from '../../support/manifests.ts';
import { defaultOptions } from '../../support/default-options.ts';
import { recordOf } from '../../support/read-record.ts';
import { readyService } from '../../support/ready-service.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import { whileStopped } from '../../support/while-stopped.ts';
import { startWorld } from '../../support/world.ts';

/** The binding between an object and its resource, in both directions. (docs/safety.md, The ledger) */

test.concurrent('no resource is created on a service or attached to a VPC through an object that does not own the service or VPC', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await world.applyUntilReady(vpc('prod'));
  const objects = [await world.service('orders'), await world.vpc('prod')];
  // As in a restore drill: the entries are those of another cluster.
  await whileStopped(world, () => changeEntries(world, objects, { clusterUid: 'production' }));
  await world.untilReason('service', 'orders', 'OwnedElsewhere');
  await world.untilReason('vpc', 'prod', 'OwnedElsewhere');
  await world.apply(
    replicaSet('reads', 'orders'),
    fork('forked', 'orders'),
    service('attached', { vpcRef: { name: 'prod' } }),
  );
  expect(await world.untilReason('replicaSet', 'reads', 'WaitingForReference')).toContain(
    'spec.serviceRef "orders" is not bound to its resource',
  );
  expect(await world.untilReason('service', 'forked', 'WaitingForReference')).toContain(
    'spec.fork.serviceRef "orders" is not bound to its resource',
  );
  expect(await world.untilReason('service', 'attached', 'WaitingForReference')).toContain(
    'spec.vpcRef "prod" is not bound to its resource',
  );
  expect(world.project.everCreated.length).toBe(2);

  await world.stopOperators();
  await world.startedOperator({
    settings: { options: { ...defaultOptions, acceptedClusters: ['production'] } },
  });
  await until(
    'a replica set',
    async () => (await world.replicaSet('reads'))?.status?.serviceId === id,
  );
});

test.concurrent('a new object with the name of a retained one adopts the id in external-id, and leaves the Secret of the retained one', async () => {
  await using world = await startWorld(sharedProject);
  const kept = await readyService(world, { deletionPolicy: 'Retain' });
  await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=20s']);
  const secret = await world.secret('orders-db');
  await world.createInCloud('services', { name: 'legacy', cpu_millis: '1000', memory_gbs: '4' });
  const legacy = world.project.everCreated.at(-1)?.id ?? '';
  const wanted = { ...service('orders', {}, { 'managed-db.io/external-id': legacy }), spec: {} };
  await world.apply(wanted);
  await world.untilReason('service', 'orders', 'SecretConflict');
  await world.apply({ ...wanted, spec: { connectionSecret: { name: 'legacy-db' } } });
  await world.untilReady('service', 'orders');
  expect([(await recordOf(world, await world.service('orders'))).id, kept]).toEqual([
    legacy,
    expect.not.stringMatching(legacy),
  ]);
  expect(await world.secret('orders-db')).toEqual(secret);
});

test.concurrent('of objects that adopt one service at once, one owns and changes it', async () => {
  // If all withdraw at first, each looks again after a minute of policy time.
  await using world = await startWorld({ ...sharedProject, speed: 20 });
  await world.createInCloud('services', { name: 'legacy', cpu_millis: '1000', memory_gbs: '4' });
  const id = world.project.everCreated[0]?.id ?? '';
  const names = ['a', 'b', 'c', 'd', 'e'];
  await whileStopped(world, async () => {
    for (const name of names) {
      const spec = { environment: name === 'a' ? 'PROD' : 'DEV' };
      await world.apply({ ...service(name, {}, { 'managed-db.io/external-id': id }), spec });
    }
  });
  const reasons = () =>
    Promise.all(
      names.map(async (name) => (await world.service(name))?.status?.conditions?.[1]?.reason),
    );
  const isDecided = async () => {
    const all = await reasons();
    return (
      all.filter((reason) => reason === 'OwnedByAnother').length === names.length - 1 &&
      all.includes('Available')
    );
  };
  await until('one to own it', isDecided, reasons);
  for (const name of names) await world.sync('service', name);
  expect(await isDecided()).toBe(true);
  expect(world.project.calls.get('setServiceEnvironment') ?? 0).toBeLessThan(2);
});

test.concurrent('a replica set keeps to its service, and to its password, when another service takes the name', async () => {
  await using world = await startWorld();
  const first = await readyService(world, { deletionPolicy: 'Retain' });
  await world.applyUntilReady(replicaSet('reads', 'orders'));
  const before = await world.secret('reads-replicas-db');
  await world.remove('service', 'orders');
  await world.kubectl(['delete', 'secret', 'orders-db']);
  await world.applyUntilReady(service('orders', {}, { 'managed-db.io/create-anyway': first }));
  expect((await world.service('orders'))?.status?.id).not.toBe(first);
  await world.sync('replicaSet', 'reads');
  await world.untilReady('replicaSet', 'reads');
  expect((await recordOf(world, await world.replicaSet('reads'))).parentServiceId).toBe(first);
  expect((await world.secret('reads-replicas-db'))?.['password']).toBe(before?.['password']);
});
