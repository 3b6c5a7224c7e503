import type { Situation } from '../situation/situation.ts';

/** The advice to retain the resource, behind other advice. All messages take it from here, so that none advises an action without effect. */
export function orRetain({
  deletion,
  attempt,
  noun,
}: Pick<Situation, 'deletion' | 'attempt' | 'noun'>): string {
  if (!deletion.requested) return '';
  if (deletion.started)
    return `; spec.deletionPolicy no longer keeps the ${noun}, whose deletion has begun`;
  if (attempt)
    return '; spec.deletionPolicy has no effect before the answer to the create is known';
  return `, or set spec.deletionPolicy to Retain to keep the ${noun}`;
}

/** The advice where the cloud refuses the DELETE that confirms an absence. (`removeUnshown`) */
export const orLeave = ', or set spec.deletionPolicy to Retain to release this object';
