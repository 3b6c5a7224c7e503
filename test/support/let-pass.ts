import { until } from './until.ts';
import type { World } from './world.ts';

/** Lets policy time go by: afterwards the calls are counted, or what must not come about is looked for. */
export async function letPass(world: World, ms: number): Promise<void> {
  const end = world.clock.now() + ms;
  await until(`${ms} ms of policy time`, () => world.clock.now() > end);
}
