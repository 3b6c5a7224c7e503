import { until } from './until.ts';
import { events, type World } from './world.ts';

/** Waits for an event with this text, about any object. */
export async function untilTold(world: World, words: string): Promise<void> {
  const { namespace } = world;
  const messages = async () =>
    (await world.kubernetes.list(events, { namespace })).items.map(({ message }) => message);
  await until(
    `an event that says ${words}`,
    async () => (await messages()).some((message) => message.includes(words)),
    async () => [await messages(), world.log.slice(-15)],
  );
}
