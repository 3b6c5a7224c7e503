import { expect, test } from 'vitest';
import { callsOf } from '../../support/cloud-calls.ts';
import { secret, service, vpc } from '../../support/manifests.ts';
import { letPass } from '../../support/let-pass.ts';
import { startWorld } from '../../support/world.ts';

/** In real time. A watched Secret takes a moment. An object that looked again by itself would do so after fifteen seconds at the earliest. */
const soonMs = 5_000;

async function tookMs(what: Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await what;
  return performance.now() - begun;
}

test.concurrent('an object that waits for a Secret continues as soon as the Secret exists or is corrected', async () => {
  await using world = await startWorld({ speed: 1, latencyMs: 100 });
  await world.apply(
    vpc('prod', { credentialsRef: { name: 'cloud' } }),
    service('orders', { password: { secretRef: { name: 'mine' } } }),
  );
  await world.untilReason('vpc', 'prod', 'WaitingForCredentials');
  await world.apply(secret('cloud', { apiKey: 'no-such-key' }));
  expect(await tookMs(world.untilReason('vpc', 'prod', 'Unauthorized'))).toBeLessThan(soonMs);
  await world.apply(secret('cloud', { apiKey: world.project.apiKey }));
  expect(await tookMs(world.untilReady('vpc', 'prod'))).toBeLessThan(soonMs);

  await world.untilReason('service', 'orders', 'WaitingForReference');
  await world.apply(secret('mine', { password: 'long-enough-1' }));
  expect(await tookMs(world.untilReady('service', 'orders'))).toBeLessThan(soonMs);
});

test.concurrent('a refused create waits for its back-off, also after a change of its key, or is requested again at once by requestedAt', async () => {
  await using world = await startWorld({ speed: 1, latencyMs: 100 });
  const other = world.simulator.addProject({ clock: world.clock, latencyMs: 100 });
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'createVpc',
    status: 422,
    body: { message: 'no VPCs for this key' },
  });
  await world.apply(
    secret('cloud', { apiKey: world.project.apiKey }),
    vpc('prod', { credentialsRef: { name: 'cloud' } }),
  );
  expect(await world.untilReason('vpc', 'prod', 'Rejected')).toContain('no VPCs for this key');

  await world.kubectl(['label', 'secret', 'cloud', 'team=shop']);
  await letPass(world, 3_000);
  expect(callsOf(world, 'createVpc')).toBe(1);

  await world.apply(secret('cloud', { apiKey: other.apiKey }));
  await world.patch('vpc', 'prod', {
    metadata: { annotations: { 'reconcile.managed-db.io/requestedAt': 'now' } },
  });
  expect(await tookMs(world.untilReady('vpc', 'prod'))).toBeLessThan(soonMs);
  expect(callsOf(world, 'createVpc')).toBe(1);
  expect(other.everCreated.length).toBe(1);
});
