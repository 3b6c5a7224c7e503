import { syncedOf } from '../../../src/resources/condition.ts';
import { expect, test } from 'vitest';
import { force } from '../../../src/simulator/store.ts';
import { replicaSet, service, vpc } from '../../support/manifests.ts';
import { readyService } from '../../support/ready-service.ts';
import { replace } from '../../support/replace.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

const deleteOrders = (world: World) =>
  world.kubectl(['delete', '--wait=false', 'managedservice', 'orders']);

test.concurrent('Retain keeps the service and its Secret, and releases the object', async () => {
  await using world = await startWorld();
  const id = await readyService(world, { deletionPolicy: 'Retain' });
  await deleteOrders(world);
  await world.untilGone('service', 'orders');
  expect(world.project.commits.get('deleteService')).toBeUndefined();
  expect((await world.secret('orders-db'))?.['password']).toBe(
    world.project.stores.service.get(id)?.password,
  );
  const secret = await world.kubectl(['delete', 'secret', 'orders-db', '--timeout=10s']);
  expect(secret.code).toBe(0);
});

test.concurrent('a PROD service is protected until the spec says otherwise', async () => {
  await using world = await startWorld();
  await readyService(world, { environment: 'PROD' });
  expect((await world.service('orders'))?.status?.onDelete).toBe('Protected');
  const denied = await until('the policy to deny it', async () => {
    const tried = await world.kubectl(['delete', '--dry-run=server', 'managedservice', 'orders']);
    return tried.code === 0 ? undefined : tried.stderr;
  });
  expect(denied).toContain('set spec.deletionProtection to false');
  await world.patch('service', 'orders', { spec: { deletionProtection: false } });
  await deleteOrders(world);
  await world.untilGone('service', 'orders');
  expect(world.project.commits.get('deleteService')).toBe(1);
});

test.concurrent('protection that is set while a deletion waits still counts', async () => {
  await using world = await startWorld();
  await world.apply(service('orders'), replicaSet('reads', 'orders'));
  await world.untilReady('replicaSet', 'reads');
  await deleteOrders(world);
  await world.untilReason('service', 'orders', 'DeletionBlocked');
  await world.patch('service', 'orders', { spec: { deletionProtection: true } });
  await world.kubectl(['delete', 'readreplicaset', 'reads', '--timeout=20s']);
  expect(await world.untilReason('service', 'orders', 'DeletionProtected')).toContain(
    'spec.deletionProtection to false',
  );
  expect(world.project.calls.get('deleteService')).toBeUndefined();
  await world.patch('service', 'orders', { spec: { deletionProtection: false } });
  await world.untilGone('service', 'orders');
});

test.concurrent('the deletion of a service waits for its replica set, that of a VPC for its service, and each message names the dependent', async () => {
  await using world = await startWorld();
  await world.apply(
    vpc('prod'),
    service('orders', { vpcRef: { name: 'prod' } }),
    replicaSet('reads', 'orders'),
  );
  await world.untilReady('replicaSet', 'reads');
  await world.delete('vpc', 'prod');
  await world.delete('service', 'orders');
  expect(await world.untilReason('service', 'orders', 'DeletionBlocked')).toContain(
    `1 replica set: reads`,
  );
  // The service is being deleted, too, so no user needs to act.
  const held = `deletion waits for 1 attached service: orders; the operator continues by itself`;
  await until('the VPC to wait', async () =>
    (syncedOf((await world.vpc('prod')) ?? {})?.message ?? '').includes(held),
  );
  expect(world.project.calls.get('deleteService')).toBeUndefined();
  await world.delete('replicaSet', 'reads');
  await world.untilGone('vpc', 'prod');
  await world.untilGone('service', 'orders');
});

test.concurrent('a VPC that waits for an attached service advises to detach it, and the service outlives the VPC', async () => {
  await using world = await startWorld();
  await world.apply(vpc('prod'), service('orders', { vpcRef: { name: 'prod' } }));
  await world.untilReady('vpc', 'prod');
  await world.untilReady('service', 'orders');
  await world.delete('vpc', 'prod');
  expect(await world.untilReason('vpc', 'prod', 'DeletionBlocked')).toContain(
    ': orders; take vpcRef or vpcId out of its spec, or',
  );
  await world.patch('service', 'orders', { spec: { vpcRef: null } });
  await world.untilGone('vpc', 'prod');
  await world.untilReady('service', 'orders');
  expect(world.project.calls.get('deleteService')).toBeUndefined();
});

test.concurrent('a service that a user deletes in the cloud is Lost, and is recreated only when a user allows it', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  force(world.project, { kind: 'service', id, status: undefined });
  expect(await world.untilReason('service', 'orders', 'Lost')).toContain(
    `managed-db.io/allow-recreate=${id}`,
  );
  expect((await world.service('orders'))?.status?.state).toBeUndefined();
  expect(world.project.commits.get('createService')).toBe(1);
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

test.concurrent('a Lost service that is young stays Lost at every visit, and says what to do', async () => {
  await using world = await startWorld({ speed: 10, latencyMs: 200 });
  const id = await readyService(world);
  force(world.project, { kind: 'service', id, status: undefined });
  await world.sync('service', 'orders');
  await world.untilReason('service', 'orders', 'Lost');
  await world.sync('service', 'orders');
  expect(await world.untilReason('service', 'orders', 'Lost')).toContain(
    `managed-db.io/allow-recreate=${id}`,
  );
});

test.concurrent('deleting a Lost object asks the cloud once more for the service, and deletes no other resource', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  force(world.project, { kind: 'service', id, status: undefined });
  await world.untilReason('service', 'orders', 'Lost');
  await deleteOrders(world);
  await world.untilGone('service', 'orders');
  expect([
    world.project.calls.get('deleteService'),
    world.project.commits.get('deleteService'),
  ]).toEqual([1, undefined]);
});

test.concurrent('a list that lags does not lose, double or recreate a resource', async () => {
  await using world = await startWorld({ listLagMs: 8_000, speed: 120 });
  await readyService(world);
  expect(world.project.commits.get('createService')).toBe(1);
  await deleteOrders(world);
  await world.untilGone('service', 'orders');
  expect(world.project.everCreated.length).toBe(1);
  expect(world.project.everCreated[0]?.deletedAt).toBeDefined();
});

test.concurrent('a suspended object is not changed, even while it is deleted', async () => {
  await using world = await startWorld();
  await readyService(world);
  await world.patch('service', 'orders', { spec: { suspend: true } });
  await until('Suspended', async () => {
    const conditions = (await world.service('orders'))?.status?.conditions ?? [];
    return conditions.some(
      ({ type, status, reason }) =>
        type === 'Synced' && status === 'True' && reason === 'Suspended',
    );
  });
  await deleteOrders(world);
  expect(await world.untilReason('service', 'orders', 'DeletionBlocked')).toContain('spec.suspend');
  expect(world.project.calls.get('deleteService')).toBeUndefined();
  await world.patch('service', 'orders', { spec: { suspend: false } });
  await world.untilGone('service', 'orders');
});

test.concurrent('finalizer and record are restored after kubectl replace dropped them', async () => {
  await using world = await startWorld();
  await readyService(world);
  await replace(world, service('orders'));
  await until(
    'the finalizer and the pointer to be back',
    async () => {
      const metadata = (await world.service('orders'))?.metadata;
      const isHeld = metadata?.finalizers?.includes('managed-db.io/cloud-resource') === true;
      return (
        isHeld &&
        metadata?.annotations?.['managed-db.io/ledger'] === `managedservice-${metadata?.uid}`
      );
    },
    () => world.service('orders'),
  );
  await world.untilReady('service', 'orders');
  expect(world.project.everCreated.length).toBe(1);
});

test.concurrent('a deleted connection Secret is recreated with the same password', async () => {
  await using world = await startWorld();
  await readyService(world);
  const before = await world.secret('orders-db');
  await world.kubectl(['delete', 'secret', 'orders-db', '--timeout=20s']);
  const after = await until(
    'the Secret',
    () => world.secret('orders-db'),
    () => world.log.slice(-10),
  );
  expect(after).toEqual(before);
  expect(world.project.commits.get('updateServicePassword')).toBeUndefined();
});
