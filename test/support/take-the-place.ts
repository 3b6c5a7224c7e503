import { secret } from './manifests.ts';
import type { World } from './world.ts';

/** Replaces the connection Secret of `orders` by a foreign one. */
export async function takeThePlace(world: World): Promise<void> {
  await world.kubectl(['patch', 'secret', 'orders-db', '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
  await world.kubectl(['delete', 'secret', 'orders-db', '--timeout=5s']);
  await world.apply(secret('orders-db', { theirs: 'x' }));
}
