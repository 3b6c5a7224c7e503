import type { World } from './world.ts';

/** Acts while no operator runs, and then starts an operator. */
export async function whileStopped(world: World, act: () => Promise<unknown>): Promise<void> {
  await world.stopOperators();
  await act();
  await world.startedOperator();
}
