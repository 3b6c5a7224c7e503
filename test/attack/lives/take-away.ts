import { force } from '../../../src/simulator/store.ts';
import type { World } from '../../support/world.ts';
import { isAlive } from './oracle.ts';

/** Behind everybody's back, with all that hangs on it. Nothing happens to a resource that is gone already: a message may be older than its end. */
export function takeAway({ project, clock }: World, id: string): void {
  const hangingFirst = project.everCreated
    .filter((each) => (each.id === id || each.parentId === id) && isAlive(each, clock))
    .toReversed();
  for (const each of hangingFirst)
    force(project, { kind: each.kind, id: each.id, status: undefined });
}
