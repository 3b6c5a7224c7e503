import type { World } from './world.ts';

/** Puts a foreign finalizer, such as that of a backup tool, on a Secret. */
export function holdSecret(world: World, name: string): ReturnType<World['kubectl']> {
  return world.kubectl([
    'patch',
    'secret',
    name,
    '--type=merge',
    '-p',
    '{"metadata":{"finalizers":["example.com/backup"]}}',
  ]);
}
