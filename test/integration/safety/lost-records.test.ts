import { expect, test } from 'vitest';
import { readyOf } from '../../../src/resources/condition.ts';
import type { ManagedObject } from '../../../src/resources/managed-object.ts';
import { callsOf, commitsOf } from '../../support/cloud-calls.ts';
import { force } from '../../../src/simulator/store.ts';
import { letPass } from '../../support/let-pass.ts';
import { fork as forkOf, peering, replicaSet, service, vpc } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { readyService } from '../../support/ready-service.ts';
import { refusing } from '../../support/refusing.ts';
import { replace } from '../../support/replace.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** A record that nobody remembers is written back from status. Until Kubernetes takes it, status goes on knowing all of it. (docs/safety.md, What an object knows) */

/** Starts an operator whose records Kubernetes refuses, or that of one object, until `relent`. Status is written all the while. */
async function startRefused(world: World, code: number, name = ''): Promise<{ readonly relent: () => void }> {
  let isBroken = true;
  const intercept = refusing(({ method, path, body }) => {
    if (!isBroken || method !== 'PATCH' || path.endsWith('/status') || !path.includes(name) || !body.includes('managed-db.io/record'))
      return undefined;
    return { code, message: 'not on Fridays' };
  });
  await world.startedOperator({ intercept });
  return { relent: () => void (isBroken = false) };
}

function reasonOf(object: ManagedObject | undefined): string | undefined {
  return object && readyOf(object)?.reason;
}

test.each([403, 500])('a peering and an attachment that left the manifest go, though the record is refused at first (%i)', async (code) => {
  await using world = await startWorld();
  await world.apply(vpc('prod', { peerings: [peering] }), service('orders', { vpcRef: { name: 'prod' } }));
  await world.untilReady('vpc', 'prod');
  await world.untilReady('service', 'orders');
  await until('the attachment', async () => (await world.service('orders'))?.status?.vpcId !== undefined);
  await world.stopOperators();
  await replace(world, vpc('prod'));
  await replace(world, service('orders'));
  const { relent } = await startRefused(world, code);
  await world.untilReason('vpc', 'prod', 'InternalError');
  await world.untilReason('service', 'orders', 'InternalError');
  const known = [(await world.vpc('prod'))?.status?.peerings, (await world.service('orders'))?.status?.vpcManaged];
  expect(known).toMatchObject([[{ managed: true }], true]);
  relent();
  await until('the peering to go', () => commitsOf(world, 'deletePeering') === 1);
  await until('the service to be detached', () => commitsOf(world, 'detachServiceFromVpc') === 1);
  await world.untilReady('vpc', 'prod');
  await world.untilReady('service', 'orders');
});

test('a replica set keeps to its service, though its record is refused at first and another service has the name', async () => {
  await using world = await startWorld();
  world.project.includeReplicaSets = false;
  const first = await readyService(world, { deletionPolicy: 'Retain' });
  await world.applyUntilReady(replicaSet('reads', 'orders'));
  const set = world.project.everCreated.at(-1);
  await world.remove('service', 'orders');
  await world.kubectl(['delete', 'secret', 'orders-db']);
  await world.applyUntilReady(service('orders', {}, { 'managed-db.io/create-anyway': first }));
  await world.stopOperators();
  await replace(world, replicaSet('reads', 'orders'));
  const { relent } = await startRefused(world, 403);
  await world.untilReason('replicaSet', 'reads', 'InternalError');
  await letPass(world, 30_000);
  expect((await world.replicaSet('reads'))?.status?.serviceId).toBe(first);
  relent();
  await until('the record', async () => recordOf(await world.replicaSet('reads')).id === set?.id);
  expect(recordOf(await world.replicaSet('reads')).parentServiceId).toBe(first);
  await world.remove('replicaSet', 'reads');
  expect(set?.deletedAt).toBeDefined();
});

test.each([
  ['known by its record', false],
  ['known by its status alone, for its record is refused', true],
])('an unfinished fork that a list lacks holds its source, also where it is %s', async (_, isLost) => {
  await using world = await startWorld({ latencyMs: 3_000 });
  await readyService(world);
  world.project.latencyMs = 600_000;
  await world.apply(forkOf('drill', 'orders'));
  const id = await until('the fork', async () => recordOf(await world.service('drill')).id);
  force(world.project, { kind: 'service', id, status: 'CONFIGURING' });
  await until('its origin', async () => (await world.service('drill'))?.status?.service?.forkedFrom?.serviceId);
  await world.stopOperators();
  if (isLost) await replace(world, forkOf('drill', 'orders'));
  await startRefused(world, 403, 'drill');
  if (isLost) await world.untilReason('service', 'drill', 'InternalError');
  world.project.faults.add({ kind: 'truncatedList', operation: 'listServices', drop: 1 });
  await letPass(world, 60_000);
  await world.kubectl(['delete', '--wait=false', 'managedservice', 'orders']);
  await until(
    'the deletion to be sent or held back',
    async () => callsOf(world, 'deleteService') > 0 || reasonOf(await world.service('orders')) === 'Deleting',
  );
  expect(callsOf(world, 'deleteService')).toBe(0);
  await world.sync('service', 'orders');
  expect(callsOf(world, 'deleteService')).toBe(0);
  world.project.faults.clear();
  expect(await world.untilReason('service', 'orders', 'DeletionBlocked')).toContain('1 unfinished fork');
});

test('a service that the cloud shows as attached, but not to which VPC, holds its VPC, also while its record is refused', async () => {
  await using world = await startWorld();
  await world.apply(vpc('prod'), service('orders', { vpcRef: { name: 'prod' } }));
  await world.untilReady('vpc', 'prod');
  await world.untilReady('service', 'orders');
  const { id = '' } = await until('the attachment', async () => {
    const status = (await world.service('orders'))?.status;
    return status?.vpcManaged === true && status;
  });
  world.project.stores.service
    .get(id)
    ?.timeline.plan(world.clock.now(), [{ afterMs: 0, change: (seen) => ({ ...seen, vpcEndpoint: { host: 'orders.internal' } }) }]);
  await world.sync('service', 'orders');
  await world.stopOperators();
  await replace(world, service('orders', { vpcRef: { name: 'prod' } }));
  await startRefused(world, 403, 'orders');
  await world.untilReason('service', 'orders', 'InternalError');
  await world.kubectl(['delete', '--wait=false', 'managedvpc', 'prod']);
  await until(
    'the deletion to be sent or held back',
    async () => callsOf(world, 'deleteVpc') > 0 || reasonOf(await world.vpc('prod')) === 'DeletionBlocked',
  );
  expect(callsOf(world, 'deleteVpc')).toBe(0);
});

test('a status that is restored while a create is open ends no create: what it made is found, and a person decides', async () => {
  await using world = await startWorld();
  await world.createInCloud('services', { name: 'kept', cpu_millis: '1000', memory_gbs: '4' });
  const kept = world.project.everCreated[0]?.id ?? '';
  world.project.faults.add({ kind: 'errorBefore', operation: 'listServices', status: 503 });
  world.project.faults.add({ kind: 'replyLost', operation: 'createService', times: 1 });
  await world.apply(service('orders'));
  const made = await until('the create', () => world.project.everCreated[1]?.id);
  await world.untilReason('service', 'orders', 'ResolvingCreate');
  await world.stopOperators();
  const status = { id: kept, projectId: world.project.id };
  await world.kubectl(['patch', 'managedservice', 'orders', '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })]);
  world.project.faults.clear();
  await world.startOperator();
  const message = await world.untilReason('service', 'orders', 'RecordConflict');
  expect([message, (await world.service('orders'))?.status?.id]).toEqual([expect.stringMatching(`${made}.*${kept}`), kept]);
  await world.kubectl(['delete', '--wait=false', 'managedservice', 'orders']);
  await world.sync('service', 'orders');
  expect(world.project.everCreated.map(({ deletedAt }) => deletedAt)).toEqual([undefined, undefined]);
});

test('the record of an open create that is put back after it, while none runs, counts for nothing: status knows the same one', async () => {
  await using world = await startWorld();
  world.project.faults.add({ kind: 'replyLost', operation: 'createVpc', times: 1 });
  world.project.faults.add({ kind: 'errorBefore', operation: 'listVpcs', status: 503 });
  await world.apply(vpc('prod', { peerings: [peering] }));
  await world.untilReason('vpc', 'prod', 'ResolvingCreate');
  const old = (await world.vpc('prod'))?.metadata.annotations?.['managed-db.io/record'] ?? '';
  world.project.faults.clear();
  await world.untilReady('vpc', 'prod');
  const known = recordOf(await world.vpc('prod'));
  await world.stopOperators();
  await world.kubectl(['annotate', '--overwrite', 'managedvpc', 'prod', `managed-db.io/record=${old}`]);
  await world.startOperator();
  await until('the record', async () => recordOf(await world.vpc('prod')).id);
  const { id, peerings } = recordOf(await world.vpc('prod'));
  expect([id, peerings, world.project.everCreated.length]).toEqual([known.id, known.peerings, 2]);
  await world.untilReady('vpc', 'prod');
});
