import type { CloudError } from '../../cloud/cloud-error.ts';
import { listLagMs } from '../observe/not-before.ts';
import type { Situation } from '../situation/situation.ts';
import { intervals } from '../step/intervals.ts';
import type { Step } from '../step/step.ts';
import type { Visit } from './visit.ts';

type Tried<S extends Situation> = Pick<Visit<S>, 'situation' | 'step' | 'outcome'>;

/** The pause of a change that was tried. */
export interface Pause {
  readonly forMs: number;
  /** Whether it is unknown if the change was, or will be, carried out. */
  readonly isUnclear: boolean;
}

/**
 * The pause after a change was refused, was tried in a state that should allow none, or had an unclear answer. Repeating it at every visit is useless: only a
 * person or time can make it possible. Other changes go first meanwhile. Pure.
 * @param backOffMs the pause if no other rule applies
 * @returns undefined after a success, and after a failure that says nothing about the change itself
 */
export function pauseAfter<S extends Situation>({ situation, step, outcome }: Tried<S>, backOffMs: number): Pause | undefined {
  const isTried = outcome.type === 'failed' || outcome.type === 'stalled' || outcome.type === 'writeFailed';
  if (!isTried || !outcome.change || step.type === 'keep') return undefined;
  const error = outcome.type === 'failed' ? outcome.error : undefined;
  const forMs = outcome.type === 'writeFailed' ? backOffMs : pauseMs(error, step, situation.isAtRest, backOffMs);
  const isInVain = outcome.type === 'stalled' && outcome.step.reason === 'NotApplied';
  return forMs === undefined ? undefined : { forMs, isUnclear: error?.changedNothing === false || isInVain };
}

function pauseMs(error: CloudError | undefined, step: Step, isAtRest: boolean, backOffMs: number): number | undefined {
  if (step.type === 'stall') return step.retryAfterMs ?? intervals.nowAndThenMs;
  if (!isAtRest) return intervals.nowAndThenMs;
  if (error?.changedNothing === false) return Math.max(backOffMs, listLagMs);
  return error?.kind === 'conflict' || error?.kind === 'notFound' ? backOffMs : undefined;
}

/** Whether a change was refused just now. The visit that follows at once reports it together with the remaining work. */
export function isRefusedNow<S extends Situation>(visit: Tried<S>): boolean {
  return pauseAfter(visit, 0)?.isUnclear === false;
}
