import type { Situation } from './situation.ts';

/** Policy time since which status shows the present state of the resource; now if it is a new state. */
export function stateSince({ object: { status }, state, cloud, now }: Pick<Situation, 'object' | 'state' | 'cloud' | 'now'>): number {
  const at = Date.parse(status?.stateSince ?? '');
  const isSame = cloud.state !== 'present' || state === status?.state;
  return isSame && at <= now ? at : now;
}
