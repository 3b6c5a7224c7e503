import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { fence } from '../../crash/fence.ts';
import { letPass } from '../../support/let-pass.ts';
import { peering, service, vpc } from '../../support/manifests.ts';
import { everyChange, serviceChanges } from '../../support/service-values.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { startWorld } from '../../support/world.ts';

/** The reasons that no other test shows. */

test('each change of a service has its own reason', async () => {
  // The operator does not report a state that passes within 1.5 s: on a slow machine, each state could pass
  // unreported.
  await using world = await startWorld({ ...sharedProject, latencyMs: 10_000 });
  await world.apply(vpc('a'));
  await readyService(world, { vpcRef: { name: 'a' } });
  await world.apply(service('orders', { ...everyChange, powerState: 'Stopped' }));
  expect(await world.untilEvent('orders', 'AttachingVpc')).toContain('attaching to VPC');
  expect(await world.untilEvent('orders', 'DetachingVpc')).toContain('detaching from VPC');
  for (const { reason, progress } of serviceChanges)
    expect(await world.untilEvent('orders', reason)).toContain(progress);
  expect(await world.untilEvent('orders', 'Stopping')).toContain('stopping the service');
  await world.untilReason('service', 'orders', 'Stopped');
  await world.apply(service('orders', { powerState: 'Running', deletionProtection: false }));
  expect(await world.untilEvent('orders', 'Starting')).toContain('starting the service');
  await world.untilReason('service', 'orders', 'Available');
  await world.delete('service', 'orders');
  expect(await world.untilEvent('orders', 'Deleting')).toContain(
    'the cloud is deleting the service',
  );
});

test('create, rename, peering and adoption have their reasons', async () => {
  await using world = await startWorld({ ...sharedProject, latencyMs: 30_000 });
  await world.apply(vpc('prod', { name: 'one', peerings: [peering] }));
  expect(await world.untilEvent('prod', 'PeeringPending')).toContain('the other side');
  await world.untilReady('vpc', 'prod');
  await world.apply(vpc('prod', { name: 'two', peerings: [peering] }));
  expect(await world.untilEvent('prod', 'Renaming')).toContain('from "one" to "two"');
  await world.createInCloud('services', { name: 'legacy' });
  const id = world.project.everCreated.at(-1)?.id ?? '';
  await world.apply({ ...service('legacy', {}, { 'managed-db.io/external-id': id }), spec: {} });
  expect(await world.untilEvent('legacy', 'Adopting')).toBe(`taking over service ${id}`);
  await world.apply(service('orders'));
  expect(await world.untilEvent('orders', 'Creating')).toContain(
    'the cloud is creating the service',
  );
});

test('without an operator an object is Pending, and kubectl wait waits for it', async () => {
  await using world = await startWorld({ start: false });
  await world.apply(service('orders'));
  expect((await world.kubectl(['get', 'managedservice', 'orders', '--no-headers'])).stdout).toMatch(
    /^orders +Unknown +Unknown +Pending/u,
  );
  await world.startedOperator();
  expect(
    await world.kubectl([
      'wait',
      '--for=condition=Ready',
      'managedservice/orders',
      '--timeout=20s',
    ]),
  ).toMatchObject({ code: 0 });
});

test('an unexpected reply is shown with its operation, never with its content', async () => {
  await using world = await startWorld({ speed: 300 });
  world.project.faults.add({ kind: 'malformed', operation: 'listServices', as: 'html' });
  await world.apply(service('orders'));
  await until('the operator to create', () => world.project.commits.get('createService') === 1);
  expect(await world.untilEvent('orders', 'UnexpectedReply')).toContain('could not be understood');
  world.project.faults.clear();
  await world.untilReady('service', 'orders');
});

test('a bug of the operator is shown on its object, and other objects continue', async () => {
  await using world = await startWorld({ start: false });
  let mistakes = 0;
  await world.startedOperator({
    newId() {
      mistakes += 1;
      if (mistakes === 1) throw new TypeError('secret details');
      return 'abcdefgh23456789';
    },
  });
  await world.apply(service('orders'));
  await until('the mistake', () => mistakes > 0);
  await world.untilReady('service', 'orders');
  // The facts of later visits contain the status, which names the mistake.
  const told = world.log.filter(
    (line) => line.includes('TypeError') && !line.includes('"msg":"decided"'),
  );
  expect(told.length).toBe(1);
});

test('a repeated bug is InternalError, without details', async () => {
  await using world = await startWorld({ start: false });
  await world.startedOperator({
    newId() {
      throw new TypeError('secret details');
    },
  });
  await world.apply(service('orders'));
  const message = await world.untilReason('service', 'orders', 'InternalError');
  expect(message).toContain('TypeError');
  expect(message).not.toContain('secret details');
});

test("two candidates for a lost create are left to a user's decision", async () => {
  await using world = await startWorld(sharedProject);
  world.project.faults.add({
    kind: 'replyLost',
    operation: 'createService',
    name: 'orders',
    times: 1,
  });
  await world.apply(service('orders', { name: 'orders' }));
  await until('the create', () => world.project.commits.get('createService') === 1);
  await world.createInCloud('services', { name: 'orders', cpu_millis: '1000', memory_gbs: '4' });
  const message = await world.untilReason('service', 'orders', 'AmbiguousCreate');
  const [ours] = world.project.everCreated;
  expect(message).toContain(ours?.id);
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'managed-db.io/external-id': ours?.id } },
  });
  await world.untilReady('service', 'orders');
  expect((await world.service('orders'))?.status?.id).toBe(ours?.id);
  expect(world.project.everCreated.length).toBe(2);
});

/** Something in the cluster takes the label off each connection Secret that the operator writes. */
const unlabelling: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const isSecret = options.method === 'PATCH' && options.path.includes('/secrets/orders-db');
  if (!isSecret || typeof options.body !== 'string') return dispatch(options, handler);
  const body = options.body.replace('"asked-by":"me"', '"asked-by":"no"');
  return dispatch({ ...options, body }, handler);
};

test('a change that a user undoes each time is made less and less often, is reported, and ends by itself', async () => {
  // At full speed, a slow machine makes so few changes a minute of policy that they are no loop.
  await using world = await startWorld({ start: false, speed: 15 });
  const watched = fence();
  const state = { isUndone: true };
  await world.startedOperator({
    intercept: (dispatch) => (options, handler) =>
      watched.intercept(state.isUndone ? unlabelling(dispatch) : dispatch)(options, handler),
  });
  await readyService(world);
  await world.apply(service('orders', { connectionSecret: { labels: { 'asked-by': 'me' } } }));
  expect(await world.untilReason('service', 'orders', 'NotConverging')).toContain(
    'Secret "orders-db" is brought up to date',
  );
  await letPass(world, 120_000);
  const writes = () =>
    watched.calls.filter((call) => call.startsWith('PATCH secrets/orders-db')).length;
  expect(writes()).toBeLessThan(16);
  const statuses = watched.calls.filter((call) =>
    call.startsWith('PATCH managedservices/orders/status'),
  ).length;
  expect(statuses).toBeLessThan(20);
  state.isUndone = false;
  await world.untilReady('service', 'orders');
});
