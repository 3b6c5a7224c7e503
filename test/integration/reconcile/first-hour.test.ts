import { expect, test } from 'vitest';
import { secretsWithData } from '../../../src/resources/connection-secret.ts';
import { resourceKey } from '../../../src/runtime/index.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { secret, service } from '../../support/manifests.ts';
import { startWorld } from '../../support/world.ts';

/** Mistakes of the first hour: the operator names the way out, and notices the correction soon. */

test('a service notices within seconds that the Secret in the way of its own is gone', async () => {
  await using world = await startWorld();
  await world.apply(secret('orders-db', { mine: 'x' }), service('orders'));
  await world.untilReason('service', 'orders', 'SecretConflict');
  // At this speed, the next visit without a reason is a minute away.
  world.clock.runAt(1);
  await world.kubernetes.delete(secretsWithData, resourceKey(world.namespace, 'orders-db'));
  await world.untilReady('service', 'orders');
  expect(callsOf(world, 'createService')).toBe(1);
});

test('an object whose annotations leave no room for that of the operator is told to remove some', async () => {
  await using world = await startWorld();
  await world.apply(service('orders', {}, { note: 'x'.repeat(262_100) }));
  expect(await world.untilReason('service', 'orders', 'InternalError')).toContain('remove annotations from the object');
  expect(callsOf(world, 'createService')).toBe(0);
});
