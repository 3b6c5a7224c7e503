import { until } from './until.ts';
import type { World } from './world.ts';

/**
 * `kubectl replace` removes all annotations and finalizers. It reads, then writes, so it is repeated after a conflict with
 * an operator that writes in between. A policy refuses it, except to an administrator with this field manager: not every
 * installation has the policies.
 */
export async function replace(world: World, manifest: object): Promise<void> {
  const command = ['replace', '--field-manager=managed-db-operator', '-f', '-'];
  await until(
    'kubectl replace',
    async () => (await world.kubectl(command, JSON.stringify(manifest))).code === 0,
  );
}
