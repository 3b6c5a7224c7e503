import { until } from './until.ts';
import type { World } from './world.ts';

/** Lets policy time pass, for tests that count calls, or show that an event does not happen. */
export async function letPass(world: World, ms: number): Promise<void> {
  const end = world.clock.now() + ms;
  await until(`${ms} ms of policy time`, () => world.clock.now() > end);
}
