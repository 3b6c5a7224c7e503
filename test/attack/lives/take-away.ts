import { force } from '../../../src/simulator/force.ts';
import type { World } from '../../support/world.ts';
import type { ObjectKind } from './life.ts';

/** Behind everybody's back, with all that hangs on it. */
export function takeAway({ project }: World, kind: ObjectKind, id: string): void {
  const hanging = project.everCreated.filter(({ parentId, deletedAt }) => parentId === id && deletedAt === undefined);
  for (const each of [...hanging, { kind, id }]) force(project, { kind: each.kind, id: each.id, status: undefined });
}
