import type { CloudError } from '../../cloud/cloud-error.ts';
import { listLagMs } from '../observe/not-before.ts';
import type { Situation } from '../situation/situation.ts';
import { lookAgain } from '../step/intervals.ts';
import type { Step } from '../step/step.ts';
import type { Visit } from './visit.ts';

/** A change that a visit was to make, and that rests now. */
export interface Resting {
  readonly forMs: number;
  /** The answer does not tell whether it was carried out. */
  readonly isUnclear: boolean;
}

/**
 * A change that was refused is not asked for at every look: only a person, or time, can make it possible. The same goes for one that was tried in a
 * state that should allow none, and for one whose answer did not tell whether it was carried out. Meanwhile the other changes have their turn. Pure.
 * @param backOffMs how long it rests if nothing else says so
 * @returns undefined when it went well, and when its failure says nothing of the change itself
 */
export function restingAfter<S extends Situation>({ situation, step, outcome }: Visit<S>, backOffMs: number): Resting | undefined {
  const isTried = outcome.type === 'failed' || outcome.type === 'stalled' || outcome.type === 'hindered';
  if (!isTried || !outcome.change || step.type === 'keep') return undefined;
  const error = outcome.type === 'failed' ? outcome.error : undefined;
  const forMs = outcome.type === 'hindered' ? backOffMs : restsForMs(error, step, situation.isAtRest, backOffMs);
  return forMs === undefined ? undefined : { forMs, isUnclear: error?.changedNothing === false };
}

function restsForMs(error: CloudError | undefined, step: Step, isAtRest: boolean, backOffMs: number): number | undefined {
  if (step.type === 'stall') return step.retryAfterMs ?? lookAgain.nowAndThenMs;
  if (!isAtRest) return lookAgain.nowAndThenMs;
  if (error?.changedNothing === false) return Math.max(backOffMs, listLagMs);
  return error?.kind === 'conflict' || error?.kind === 'notFound' ? backOffMs : undefined;
}

/** A change was refused just now: the visit that follows at once tells it, together with what else there is to do. */
export function isRefusedNow<S extends Situation>(visit: Visit<S>): boolean {
  return restingAfter(visit, 0)?.isUnclear === false;
}
