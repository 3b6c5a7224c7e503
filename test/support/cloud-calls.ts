import type { World } from './world.ts';

/** How often the cloud was asked for an operation so far. */
export function callsOf(world: World, operation: Parameters<World['project']['calls']['get']>[0]): number {
  return world.project.calls.get(operation) ?? 0;
}

/** How often the cloud carried an operation out so far. */
export function commitsOf(world: World, operation: Parameters<World['project']['commits']['get']>[0]): number {
  return world.project.commits.get(operation) ?? 0;
}
