import { secret } from './manifests.ts';
import type { World } from './world.ts';

/** Somebody else's Secret takes the place of the connection Secret of `orders`. */
export async function takeThePlace(world: World): Promise<void> {
  await world.kubectl(['patch', 'secret', 'orders-db', '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
  await world.kubectl(['delete', 'secret', 'orders-db', '--timeout=5s']);
  await world.apply(secret('orders-db', { theirs: 'x' }));
}
