import { expect, test } from 'vitest';
import { annotations, cloudResourceFinalizer } from '../../../src/resources/annotations.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { service } from '../../support/manifests.ts';
import { replace } from '../../support/replace.ts';
import { startWorld, type World } from '../../support/world.ts';

/** A ready service `orders`, and a copy of its manifest with record and finalizer. @returns the id of the service */
async function copied(world: World): Promise<string> {
  await world.applyUntilReady(service('orders'));
  const original = await world.service('orders');
  const record = original?.metadata.annotations?.[annotations.record] ?? '';
  const copy = service('copy');
  await world.apply({
    ...copy,
    metadata: { ...copy.metadata, annotations: { [annotations.record]: record }, finalizers: [cloudResourceFinalizer] },
  });
  await world.untilReason('service', 'copy', 'OwnedByAnother');
  return original?.status?.id ?? '';
}

test('deleting a copy right after its original was deleted with Retain deletes nothing in the cloud', async () => {
  // Slow: after a minute without its original the copy would become the owner.
  await using world = await startWorld({ speed: 5, latencyMs: 100 });
  const id = await copied(world);
  await world.apply(service('orders', { deletionPolicy: 'Retain' }));
  await world.kubectl(['delete', 'managedservice', 'orders', '--wait=false']);
  await world.kubectl(['delete', 'managedservice', 'copy', '--wait=false']);
  await world.untilGone('service', 'orders');
  await world.untilGone('service', 'copy');
  expect(callsOf(world, 'deleteService')).toBe(0);
  expect(world.project.stores.service.get(id)).toBeDefined();
});

test('deleting a copy after the operator has seen that the original is gone deletes nothing in the cloud', async () => {
  await using world = await startWorld({ speed: 5, latencyMs: 100 });
  const id = await copied(world);
  await world.apply(service('orders', { deletionPolicy: 'Retain' }));
  await world.remove('service', 'orders');
  await world.kubectl(['delete', 'managedservice', 'copy', '--wait=false']);
  await world.untilGone('service', 'copy');
  expect(callsOf(world, 'deleteService')).toBe(0);
  expect(await world.untilEvent('copy', 'Abandoned')).toContain(id);
});

test('an original that is replaced while it has a copy stays the owner, and the copy never acts', async () => {
  await using world = await startWorld();
  await copied(world);
  for (let round = 0; round < 5; round += 1) {
    await replace(world, service('orders'));
    await world.sync('service', 'copy');
    await world.untilReason('service', 'copy', 'OwnedByAnother');
    await world.untilReady('service', 'orders');
  }
  await world.remove('service', 'orders');
  expect(callsOf(world, 'updateServicePassword')).toBe(0);
});
