import { expect } from 'vitest';
import type { World } from './world.ts';

/** Removes a service object without an operator noticing, as if the cluster were lost. No operator runs afterwards. */
export async function loseObject(world: World, name = 'orders'): Promise<void> {
  await world.stopOperators();
  const deleted = await world.kubectl(['delete', 'managedservice', name, '--wait=false']);
  const patched = await world.kubectl([
    'patch',
    'managedservice',
    name,
    '--type=merge',
    '-p',
    '{"metadata":{"finalizers":null}}',
  ]);
  expect([deleted, patched]).toMatchObject([{ code: 0 }, { code: 0 }]);
}
