import { expect, test } from 'vitest';
import { service } from '../support/manifests.ts';
import { startWorld } from '../support/world.ts';
import { operatorThatDies } from './fence.ts';

test('a stored answer tells which of two services with one name was created', async () => {
  await using world = await startWorld({ start: false });
  const first = await operatorThatDies(world, { call: 'POST secrets/orders-db #1', harm: 'replyLost' });
  await world.apply(service('orders', { name: 'orders' }));
  await first.died;
  const [ours] = world.project.everCreated;
  // Somebody else asks for the very same at the very same time.
  const twin = await world.createInCloud('services', { name: 'orders', cpu_millis: '1000', memory_gbs: '4' });
  expect(twin).toBe(202);
  await world.startOperator();
  await world.untilReady('service', 'orders');
  expect((await world.service('orders'))?.status?.id).toBe(ours?.id);
  expect(world.project.everCreated.length).toBe(2);
  expect(world.project.commits.get('updateServicePassword')).toBeUndefined();
});
