import type { Situation } from '../situation/situation.ts';

/**
 * The advice to keep the resource of an object that is being deleted, to be put behind other advice; or why that does nothing any more, or nothing yet. Every
 * message has it from here, so that none advises what has no effect. (`releaseRetained`)
 */
export function orRetain({ deletion, attempt, noun }: Pick<Situation, 'deletion' | 'attempt' | 'noun'>): string {
  if (!deletion.requested) return '';
  if (deletion.started) return `; the deletion of the ${noun} had begun before, so spec.deletionPolicy no longer keeps it`;
  if (attempt) return `; spec.deletionPolicy does not let this object go before it is known what came of its create`;
  return `, or set spec.deletionPolicy to Retain to keep the ${noun} and drop only this object`;
}

/** The advice where the cloud refuses the DELETE that makes sure of an absence. It helps also after the deletion has begun. (`removeUnshown`) */
export const orLeave = ', or set spec.deletionPolicy to Retain to let this object go without that; its connection Secret stays then';
