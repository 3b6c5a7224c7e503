import type { Situation } from '../situation/situation.ts';

/**
 * The advice to keep the resource of an object that is being deleted, to be put behind other advice; or why that does nothing any more, or nothing yet. Every
 * message has it from here, so that none advises what has no effect. (`releaseRetained`)
 */
export function orRetain({ deletion, attempt, noun }: Pick<Situation, 'deletion' | 'attempt' | 'noun'>): string {
  if (!deletion.requested) return '';
  if (deletion.started) return `; spec.deletionPolicy no longer keeps the ${noun}, whose deletion has begun`;
  if (attempt) return '; spec.deletionPolicy has no effect before the answer to the create is known';
  return `, or set spec.deletionPolicy to Retain to keep the ${noun}`;
}

/** The advice where the cloud refuses the DELETE that makes sure of an absence. It helps also after the deletion has begun. (`removeUnshown`) */
export const orLeave = ', or set spec.deletionPolicy to Retain to release this object';
