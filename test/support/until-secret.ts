import { until } from './until.ts';
import type { World } from './world.ts';

/** Waits until a Secret has at least these values. */
export async function untilSecret(
  world: World,
  name: string,
  wanted: Readonly<Record<string, string>>,
): Promise<void> {
  await until(
    `Secret ${name} to say ${JSON.stringify(wanted)}`,
    async () => {
      const data = await world.secret(name);
      return Object.entries(wanted).every(([key, value]) => data?.[key] === value);
    },
    () => world.secret(name),
  );
}
