import type { World } from './world.ts';

/** The number of calls of an operation so far. */
export function callsOf(
  world: World,
  operation: Parameters<World['project']['calls']['get']>[0],
): number {
  return world.project.calls.get(operation) ?? 0;
}

/** The number of operations that the cloud carried out so far. */
export function commitsOf(
  world: World,
  operation: Parameters<World['project']['commits']['get']>[0],
): number {
  return world.project.commits.get(operation) ?? 0;
}
