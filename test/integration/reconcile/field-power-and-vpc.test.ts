import { test } from 'vitest';
import * as z from 'zod';
import { commitsOf } from '../../support/cloud-calls.ts';
import { letPass } from '../../support/let-pass.ts';
import { replicaSet, service, vpc } from '../../support/manifests.ts';
import { force } from '../../../src/simulator/store.ts';
import { annotations } from '../../../src/resources/annotations.ts';
import { managedDb } from '../../support/managed-db.ts';
import { readyService } from '../../support/ready-service.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

const inCloud = (world: World, id: string) =>
  world.project.stores.service.get(id)?.timeline.at(world.clock.now());
const endpoint = z.object({ vpc_id: z.string() }).optional();
const attachedTo = (world: World, id: string) =>
  endpoint.parse(inCloud(world, id)?.vpcEndpoint)?.vpc_id;

/** Two VPCs. @returns their ids */
async function readyVpcs(world: World): Promise<readonly [string, string]> {
  await world.apply(vpc('a'), vpc('b', { cidr: '10.1.0.0/16' }));
  await world.untilReady('vpc', 'a');
  await world.untilReady('vpc', 'b');
  return [(await world.vpc('a'))?.status?.id ?? '', (await world.vpc('b'))?.status?.id ?? ''];
}

async function untilAttached(world: World, id: string, vpcId: string | undefined): Promise<void> {
  await until(
    `the service to be in VPC ${vpcId}`,
    () => attachedTo(world, id) === vpcId,
    () => world.service('orders'),
  );
  await world.untilReady('service', 'orders');
}

test.concurrent('powerState: a service that a user starts is stopped again, and stays stopped when the field is removed', async ({
  expect,
}) => {
  await using world = await startWorld({ latencyMs: 0 });
  const id = await readyService(world, { powerState: 'Stopped' });
  await until(
    'Stopped',
    async () =>
      (await world.untilReason('service', 'orders', 'Stopped')) ===
      'the service is stopped, as asked',
  );
  await world.createInCloud(`services/${id}/start`, {});
  await until('the event', async () =>
    (await world.untilEvent('orders', 'Stopping')).includes(
      'powerState was changed elsewhere from Stopped to Running; stopping the service',
    ),
  );
  await until(
    'Stopped',
    async () =>
      (await world.untilReason('service', 'orders', 'Stopped')) ===
      'the service is stopped, as asked',
  );
  await world.apply(service('orders'));
  await world.untilSynced('service', 'orders');
  expect(await world.untilReason('service', 'orders', 'Stopped')).toContain(
    'set spec.powerState to Running to start it',
  );
  expect([inCloud(world, id)?.status, commitsOf(world, 'stopService')]).toEqual(['PAUSED', 2]);
});

test.concurrent('powerState: a stop or a start that the cloud refuses or postpones is shown', async ({
  expect,
}) => {
  await using world = await startWorld();
  const id = await readyService(world);
  const no = (operation: string, status: number) =>
    world.project.faults.add({ kind: 'errorBefore', operation, status, body: { message: 'no' } });
  no('stopService', 422);
  await world.apply(service('orders', { powerState: 'Stopped' }));
  expect(await world.untilReason('service', 'orders', 'Rejected')).toContain(
    'the cloud refused to stop the service: "no"; change spec.powerState; tried again at ',
  );
  world.project.faults.clear();
  await readyService(world, { powerState: 'Running' });
  await readyService(world, { powerState: 'Stopped' });
  await world.untilReason('service', 'orders', 'Stopped');
  no('startService', 409);
  await world.apply(service('orders', { powerState: 'Running' }));
  expect(await world.untilReason('service', 'orders', 'WaitingForCloud')).toBe(
    'the cloud cannot start the service now: "no"; tried again until it can',
  );
  world.project.faults.clear();
  await world.untilReady('service', 'orders');
  expect(inCloud(world, id)?.status).toBe('READY');
});

test.concurrent('a replica set of a stopped service that its object has released says Stopped until the service runs', async ({
  expect,
}) => {
  await using world = await startWorld({ latencyMs: 0 });
  const id = await readyService(world, { powerState: 'Running', deletionPolicy: 'Retain' });
  await world.applyUntilReady(replicaSet('reads', 'orders'));
  await world.apply(service('orders', { powerState: 'Stopped', deletionPolicy: 'Retain' }));
  await world.untilReason('replicaSet', 'reads', 'Stopped');
  await world.remove('service', 'orders');
  await world.patch('replicaSet', 'reads', { spec: { cpuMillis: 2_000, memoryGbs: 8 } });
  const paused = `service ${id} is PAUSED: start it in the cloud`;
  const reads = async () => (await world.replicaSet('reads'))?.status?.conditions;
  await until(
    'the message without the object',
    async () =>
      (await reads())?.some(
        ({ type, message }) => type === 'Synced' && message === `to change the size: ${paused}`,
      ),
    reads,
  );
  expect((await reads())?.find(({ type }) => type === 'Ready')).toMatchObject({
    status: 'False',
    reason: 'Stopped',
  });
  force(world.project, { kind: 'service', id, status: 'READY' });
  await world.untilReason('replicaSet', 'reads', 'Available');
});

test.concurrent('runningHours: a service is stopped outside of its hours, started by a wake, and left when a power state replaces the hours', async ({
  expect,
}) => {
  await using world = await startWorld({ latencyMs: 0 });
  const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
  const day = days[(new Date(world.clock.wallTime()).getUTCDay() + 3) % 7];
  const id = await readyService(world, { powerState: 'Running' });
  await world.apply(replicaSet('reads', 'orders'));
  await world.untilReady('replicaSet', 'reads');
  await world.apply(service('orders', { runningHours: [`${day} 12:00-13:00 UTC`] }));
  const paused = `service ${id} is PAUSED until ${day} 12:00 UTC (its spec.runningHours); to start it: managed-db wake msvc/orders -n ${world.namespace} --for 2h`;
  expect(await world.untilReason('replicaSet', 'reads', 'Stopped')).toBe(paused);
  await world.apply(replicaSet('more', 'orders'));
  expect(await world.untilReason('replicaSet', 'more', 'WaitingForReference')).toBe(paused);
  expect(await world.untilReason('service', 'orders', 'Stopped')).toBe(
    `stopped until ${day} 12:00 UTC (spec.runningHours); to start it: managed-db wake msvc/orders -n ${world.namespace} --for 2h`,
  );
  expect(inCloud(world, id)?.status).toBe('PAUSED');
  const woken = await managedDb(world, [
    'wake',
    'msvc/orders',
    '-n',
    world.namespace,
    '--for',
    '2d',
  ]);
  expect(woken).toMatchObject({ code: 0 });
  await world.untilReason('service', 'orders', 'Available');
  expect(inCloud(world, id)?.status).toBe('READY');
  await world.untilReason('replicaSet', 'reads', 'Available');
  await world.untilReady('replicaSet', 'more');
  await world.patch('service', 'orders', {
    metadata: { annotations: { [annotations.awakeUntil]: null } },
  });
  await world.untilReason('service', 'orders', 'Stopped');
  await world.apply(service('orders', { powerState: 'Running' }));
  await world.untilReady('service', 'orders');
  expect([inCloud(world, id)?.status, commitsOf(world, 'stopService')]).toEqual(['READY', 2]);
  const refused = await managedDb(world, ['wake', 'msvc/orders', '-n', world.namespace]);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('has no spec.runningHours: to start it, set spec.powerState'),
  ]);
});

test.concurrent('vpcRef: a service that a user detaches is reported and attached again, and a service that a user moves is moved back', async ({
  expect,
}) => {
  await using world = await startWorld({ latencyMs: 0 });
  const [a, b] = await readyVpcs(world);
  const id = await readyService(world, { vpcRef: { name: 'a' } });
  await world.createInCloud(`services/${id}/detachFromVPC`, { vpc_id: a });
  await until('the event', async () =>
    (await world.untilEvent('orders', 'AttachingVpc')).includes(
      `vpc was changed elsewhere from ${a} to none; attaching to VPC ${a}`,
    ),
  );
  await untilAttached(world, id, a);
  await world.createInCloud(`services/${id}/detachFromVPC`, { vpc_id: a });
  await until(
    'the service to be detached',
    () => inCloud(world, id)?.status === 'READY' && !attachedTo(world, id),
  );
  await world.createInCloud(`services/${id}/attachToVPC`, { vpc_id: b });
  await untilAttached(world, id, a);
  expect(commitsOf(world, 'createService')).toBe(1);
});

test.concurrent('vpcRef: an attachment that the cloud refuses is shown, and other changes are made', async ({
  expect,
}) => {
  await using world = await startWorld();
  const [a] = await readyVpcs(world);
  const id = await readyService(world);
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'attachServiceToVpc',
    status: 422,
    body: { message: 'no' },
  });
  await world.apply(
    service('orders', { vpcRef: { name: 'a' }, connectionPooler: { enabled: true } }),
  );
  const words = `the cloud refused to attach the service to VPC ${a}: "no"; change spec.vpcRef or spec.vpcId`;
  await until(
    'the words',
    async () => (await world.untilReason('service', 'orders', 'Rejected')).startsWith(words),
    () => world.service('orders'),
  );
  await until('the pooler', () => inCloud(world, id)?.connection_pooler !== undefined);
  expect(world.project.calls.get('attachServiceToVpc')).toBe(1);
});

test.concurrent('vpcRef: a detachment that the cloud postpones is made later', async ({
  expect,
}) => {
  await using world = await startWorld();
  const [a] = await readyVpcs(world);
  const id = await readyService(world, { vpcRef: { name: 'a' } });
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'detachServiceFromVpc',
    status: 409,
    body: { message: 'busy' },
  });
  await world.apply(service('orders'));
  expect(await world.untilReason('service', 'orders', 'WaitingForCloud')).toContain(
    `cannot detach the service from VPC ${a} now: "busy"`,
  );
  world.project.faults.clear();
  await untilAttached(world, id, undefined);
});

test.concurrent('vpcRef: where the service was attached and detached once, an attachment that a user makes later is left', async ({
  expect,
}) => {
  await using world = await startWorld({ latencyMs: 0 });
  const [a] = await readyVpcs(world);
  const id = await readyService(world, { vpcRef: { name: 'a' } });
  await untilAttached(world, id, a);
  await world.apply(service('orders'));
  await untilAttached(world, id, undefined);
  await world.untilReady('service', 'orders');
  expect(await world.createInCloud(`services/${id}/attachToVPC`, { vpc_id: a })).toBeLessThan(300);
  await letPass(world, 180_000);
  expect([attachedTo(world, id), commitsOf(world, 'detachServiceFromVpc')]).toEqual([a, 1]);
});

test.concurrent('vpcId: a service is moved, attached again when a user detaches it, and detached when the spec names no VPC', async ({
  expect,
}) => {
  await using world = await startWorld({ ...sharedProject, latencyMs: 0 });
  const [a, b] = await readyVpcs(world);
  const id = await readyService(world, { vpcId: a });
  await world.apply(service('orders', { vpcId: b }));
  await untilAttached(world, id, b);
  await world.createInCloud(`services/${id}/detachFromVPC`, { vpc_id: b });
  await until('the event', async () =>
    (await world.untilEvent('orders', 'AttachingVpc')).includes(
      `vpc was changed elsewhere from ${b} to none; attaching to VPC ${b}`,
    ),
  );
  await untilAttached(world, id, b);
  await world.apply(service('orders'));
  await untilAttached(world, id, undefined);
  expect((await world.secret('orders-db'))?.['vpc-host']).toBeUndefined();
});

test.concurrent("vpcId: with the operator's own key it is not allowed, nothing is attached, and other changes are made", async ({
  expect,
}) => {
  await using world = await startWorld();
  const [a] = await readyVpcs(world);
  const id = await readyService(world);
  await world.apply(service('orders', { vpcId: a, connectionPooler: { enabled: true } }));
  expect(await world.untilReason('service', 'orders', 'NotAllowed')).toContain(
    'use vpcRef, or set spec.credentialsRef',
  );
  expect(inCloud(world, id)?.connection_pooler).toBeDefined();
  expect(world.project.calls.get('attachServiceToVpc')).toBeUndefined();
});

test.concurrent('vpcId: an unknown id is shown and waited for, and other changes are made', async ({
  expect,
}) => {
  await using world = await startWorld(sharedProject);
  const id = await readyService(world);
  await world.apply(service('orders', { vpcId: '8801', connectionPooler: { enabled: true } }));
  expect(await world.untilReason('service', 'orders', 'WaitingForCloud')).toContain(
    'cannot attach the service to VPC 8801 now',
  );
  await until(
    'the pooler',
    () => inCloud(world, id)?.connection_pooler !== undefined,
    () => world.service('orders'),
  );
});
