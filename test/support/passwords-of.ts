import { until } from './until.ts';
import type { World } from './world.ts';

/** The password of a service in the cloud. */
export function cloudPassword(world: World, id: string): string | undefined {
  return world.project.stores.service.get(id)?.password;
}

/** The password in a Secret. */
export async function secretPassword(
  world: World,
  name = 'orders-db',
): Promise<string | undefined> {
  return (await world.secret(name))?.['password'];
}

/** Waits until the cloud and the connection Secret have the same password. @param not the password before */
export function agreed(
  world: World,
  id: string,
  not?: string,
  name = 'orders-db',
): Promise<string> {
  return until(
    'the cloud and the Secret to have the same password',
    async () => {
      const password = cloudPassword(world, id);
      return password !== not && (await secretPassword(world, name)) === password
        ? password
        : undefined;
    },
    async () => [await world.service('orders'), world.log.slice(-15)],
  );
}
