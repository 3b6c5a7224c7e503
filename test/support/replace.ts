import { until } from './until.ts';
import type { World } from './world.ts';

/**
 * `kubectl replace` takes every annotation and finalizer away. It reads, then writes: it conflicts with an operator that writes in between, and is typed once
 * more. While a create is open a policy refuses it, except to an administrator who gives this field manager; not every installation has the policies.
 */
export async function replace(world: World, manifest: object): Promise<void> {
  const command = ['replace', '--field-manager=managed-db-operator', '-f', '-'];
  await until('kubectl replace', async () => (await world.kubectl(command, JSON.stringify(manifest))).code === 0);
}
