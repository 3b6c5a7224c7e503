import type { ManagedObject } from '../../src/resources/managed-object.ts';
import { force, type Created } from '../../src/simulator/store.ts';
import type { Deployment } from './deployment.ts';
import { kindOf, type ObjectName, type RandomLife } from './lives.ts';
import { storedObjects } from './stored.ts';
import type { SimulatedWorld } from './world.ts';

/** A random life, while it is lived. */
export interface Scene {
  readonly life: RandomLife;
  readonly world: SimulatedWorld;
  readonly operators: Deployment;
  /** The last id of each object. */
  readonly ids: Map<ObjectName, string>;
  /** When a resource was last taken away in the cloud. The operators may notice it only at their next look. */
  lostAt: number;
}

export function objectOf({ world }: Scene, name: ObjectName): ManagedObject | undefined {
  return storedObjects(world.apiServer, kindOf[name]).find(
    ({ metadata }) => metadata.name === name,
  );
}

/** Removes a resource with all that hangs on it, as another client does. */
export function takeAway(scene: Scene, id: string): void {
  const { project, simulation } = scene.world;
  scene.lostAt = simulation.now;
  const hangingFirst = project.everCreated
    .filter(
      (each) => (each.id === id || each.parentId === id) && isAlive(each, project.clock.now()),
    )
    .toReversed();
  for (const each of hangingFirst)
    force(project, { kind: each.kind, id: each.id, status: undefined });
}

export function isAlive({ deletedAt }: Pick<Created, 'deletedAt'>, now: number): boolean {
  return deletedAt === undefined || Date.parse(deletedAt) > now;
}
