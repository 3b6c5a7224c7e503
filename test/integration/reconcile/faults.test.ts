import { expect, test } from 'vitest';
import { secret, service } from '../../support/manifests.ts';
import { startWorld } from '../../support/world.ts';

test("a refused create shows the cloud's message, and is retried when the spec changes", async () => {
  await using world = await startWorld();
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'createService',
    status: 422,
    body: { code: 'invalid', message: 'no such size' },
  });
  await world.apply(service('orders'));
  expect(await world.untilReason('service', 'orders', 'Rejected')).toContain('"no such size"');
  world.project.faults.clear();
  await world.applyUntilReady(service('orders', { cpuMillis: 2000, memoryGbs: 8 }));
  expect(world.project.everCreated.length).toBe(1);
});

test('a refusal of an earlier spec holds nothing back, though something else was told of the new spec first', async () => {
  await using world = await startWorld();
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'createService',
    status: 400,
    times: 1,
    body: { message: 'no such size' },
  });
  await world.apply(service('orders'));
  await world.untilReason('service', 'orders', 'Rejected');
  const at = world.clock.now();
  await world.apply(
    service('orders', { credentialsRef: { name: 'mine' }, cpuMillis: 2000, memoryGbs: 8 }),
  );
  await world.untilReason('service', 'orders', 'WaitingForCredentials');
  await world.apply(secret('mine', { apiKey: world.project.apiKey }));
  await world.untilReady('service', 'orders');
  expect(world.clock.now() - at).toBeLessThan(500_000);
});

test('a create that was carried out but answered with an error is found, not repeated', async () => {
  await using world = await startWorld();
  world.project.faults.add({
    kind: 'errorAfter',
    operation: 'createService',
    status: 500,
    times: 1,
  });
  await world.applyUntilReady(service('orders'));
  const id = (await world.service('orders'))?.status?.id ?? '';
  expect(world.project.everCreated.length).toBe(1);
  expect((await world.secret('orders-db'))?.['password']).toBe(
    world.project.stores.service.get(id)?.password,
  );
});

for (const as of ['html', 'notJson', 'wrongType', 'empty', 'redirect'] as const) {
  test(`a create that was answered with nonsense (${as}) is found, not repeated`, async () => {
    await using world = await startWorld();
    world.project.faults.add({ kind: 'malformed', operation: 'createService', as, times: 1 });
    await world.applyUntilReady(service('orders'));
    expect(world.project.everCreated.length).toBe(1);
  });
}

test('a lost answer for a chosen name is waited out, and the operator asks about the service', async () => {
  await using world = await startWorld({ speed: 20 });
  world.project.faults.add({ kind: 'replyLost', operation: 'createService', times: 1 });
  await world.apply(service('orders', { name: 'orders' }));
  expect(await world.untilReason('service', 'orders', 'ResolvingCreate')).toContain(
    'nothing is created twice',
  );
  const { id = '' } = world.project.everCreated[0] ?? {};
  expect(await world.untilReason('service', 'orders', 'AmbiguousCreate')).toContain(
    `managed-db.io/create-anyway=${id}`,
  );
  expect(world.project.everCreated.length).toBe(1);
  expect(world.project.calls.get('createService')).toBe(1);
});

test('a request that never reached the cloud is sent again', async () => {
  await using world = await startWorld();
  world.project.faults.add({ kind: 'dropBefore', operation: 'createService', times: 1 });
  await world.applyUntilReady(service('orders', { name: 'orders' }));
  expect(world.project.calls.get('createService')).toBe(2);
  expect(world.project.everCreated.length).toBe(1);
});

test('for a name that exists, nothing is created until a user decides', async () => {
  await using world = await startWorld();
  expect(await world.createInCloud('services', { name: 'orders' })).toBe(202);
  await world.apply(service('orders', { name: 'orders' }));
  expect(await world.untilReason('service', 'orders', 'SameNameExists')).toContain(
    'managed-db.io/create-anyway=true',
  );
  expect(world.project.calls.get('createService')).toBe(1);
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'managed-db.io/create-anyway': 'true' } },
  });
  await world.untilReady('service', 'orders');
  expect(world.project.everCreated.length).toBe(2);
});

test('after a 429 all calls of the key wait for Retry-After, and continue then', async () => {
  await using world = await startWorld();
  world.project.faults.add({
    kind: 'rateLimit',
    operation: 'createService',
    retryAfterSeconds: 20,
    times: 1,
  });
  await world.apply(service('orders'));
  expect(await world.untilReason('service', 'orders', 'RateLimited')).toContain('limits how often');
  await world.untilReady('service', 'orders');
  expect(world.project.everCreated.length).toBe(1);
});

test('an outage of the cloud is shown on objects that need the cloud; a Ready object stays Ready', async () => {
  await using world = await startWorld({ speed: 300 });
  await world.applyUntilReady(service('orders'));
  const before = (await world.service('orders'))?.metadata.resourceVersion;
  world.project.faults.add({ kind: 'errorBefore', operation: '*', status: 503 });
  await world.apply(service('more'));
  expect(await world.untilReason('service', 'more', 'CloudUnavailable')).toContain(
    'the cloud fails (HTTP 503)',
  );
  expect((await world.service('orders'))?.metadata.resourceVersion).toBe(before);
  world.project.faults.clear();
  await world.untilReady('service', 'more');
  expect((await world.service('orders'))?.metadata.resourceVersion).toBe(before);
});

test('an unreachable cloud is shown with the reason', async () => {
  await using world = await startWorld({ speed: 300 });
  await world.applyUntilReady(service('orders'));
  await world.simulator.close();
  await world.apply(service('orders', { cpuMillis: 2_000, memoryGbs: 8 }));
  expect(await world.untilReason('service', 'orders', 'CloudUnavailable')).toContain(
    'the cloud refuses the connection',
  );
});

test('an edit is reported at once if the cloud does not show the service right before the change, and the service stays Ready', async () => {
  await using world = await startWorld({ speed: 2 });
  await world.applyUntilReady(service('orders'));
  world.project.faults.add({ kind: 'errorBefore', operation: 'getService', status: 503 });
  await world.apply(service('orders', { cpuMillis: 2000, memoryGbs: 8 }));
  expect(await world.untilReason('service', 'orders', 'CloudUnavailable')).toContain('HTTP 503');
  const { conditions = [] } = (await world.service('orders'))?.status ?? {};
  expect(conditions.find(({ type }) => type === 'Ready')?.status).toBe('True');
  expect(world.project.calls.get('resizeService')).toBe(undefined);
  world.project.faults.clear();
  await world.untilReady('service', 'orders');
});
