import { service } from './manifests.ts';
import type { World } from './world.ts';

/** Applies a service and waits until it is ready. @returns its id in the cloud */
export async function readyService(
  world: World,
  spec: object = {},
  name = 'orders',
): Promise<string> {
  await world.applyUntilReady(service(name, spec));
  return (await world.service(name))?.status?.id ?? '';
}
