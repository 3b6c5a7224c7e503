import { until } from './until.ts';
import type { World } from './world.ts';

/** Waits for an event with this text, about any object. */
export async function untilTold(world: World, words: string): Promise<void> {
  const events = async () => (await world.kubectl(['get', 'events', '-o', 'jsonpath={range .items[*]}{.message}{"\\n"}{end}'])).stdout;
  await until(
    `an event that says ${words}`,
    async () => (await events()).split('\n').some((event) => event.includes(words)),
    async () => [await events(), world.log.slice(-15)],
  );
}
