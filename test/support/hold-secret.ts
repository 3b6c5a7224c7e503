import type { World } from './world.ts';

/** Puts the finalizer of somebody else, such as a backup tool, on a Secret. */
export function holdSecret(world: World, name: string): ReturnType<World['kubectl']> {
  const finalizer = '[{"op":"add","path":"/metadata/finalizers/-","value":"example.com/backup"}]';
  return world.kubectl(['patch', 'secret', name, '--type=json', '-p', finalizer]);
}
