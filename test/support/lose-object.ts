import { expect } from 'vitest';
import type { World } from './world.ts';

/** Removes the object `orders` without an operator noticing, as if the cluster were lost. No operator runs afterwards. */
export async function loseObject(world: World): Promise<void> {
  await world.stopOperators();
  const patched = await world.kubectl(['patch', 'managedservice', 'orders', '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
  const deleted = await world.kubectl(['delete', 'managedservice', 'orders', '--ignore-not-found', '--timeout=20s']);
  expect([patched, deleted]).toMatchObject([{ code: 0 }, { code: 0 }]);
}
