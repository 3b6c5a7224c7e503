import { keyOf, type Requeue } from '../../runtime/index.ts';
import type { Context } from '../process/context.ts';
import type { Situation } from '../situation/situation.ts';
import { longestRetryMs, intervals, retryDelayMs } from '../step/intervals.ts';
import type { Step } from '../step/step.ts';
import { isRefusedNow, hasFailed, type Visit } from './visit.ts';
import { reportDueInMs, unreportedForMs } from './delayed-report.ts';

type Dependencies = Pick<Context, 'memory' | 'clock' | 'random'>;

/**
 * The time of the next visit. Changes in the cloud or in Kubernetes wake the object earlier.
 * @param undoneForMs milliseconds until a status that somebody undoes may be written again
 */
export function nextVisit<S extends Situation>(visit: Visit<S>, context: Dependencies, undoneForMs = Infinity): Requeue {
  const next = plannedVisit(visit, context);
  const inMs = Math.min(visit.situation.requestedVisitInMs ?? Infinity, undoneForMs);
  return next === 'forget' || inMs >= next.afterMs ? next : { afterMs: inMs };
}

function plannedVisit<S extends Situation>(visit: Visit<S>, context: Dependencies): Requeue {
  const { situation, step, outcome } = visit;
  const memory = context.memory.of(situation.object.kind, keyOf(situation.object));
  const isToBeRepeated = hasFailed(visit);
  const longestMs = outcome.type === 'failed' ? intervals.atLatestMs : longestRetryMs;
  const retryMs = Math.min(retryDelayMs(Math.max(memory.failures - 1, 0), context.random()), longestMs);
  // Another change may be possible now.
  if (outcome.type === 'done' || isRefusedNow(visit)) return { afterMs: 0 };
  switch (step.type) {
    case 'release':
      return 'forget';
    case 'keep':
      return { afterMs: keptMs(isToBeRepeated ? retryMs : undefined, reportDueInMs(memory, context.clock.now())) };
    case 'wait': {
      if (isToBeRepeated && step.afterMs === undefined) return { afterMs: retryMs };
      const isUnread = situation.progressList?.failure !== undefined;
      return { afterMs: Math.min(waitMs(step, isUnread), unreportedForMs(visit, memory) ?? Infinity) };
    }
    case 'stall':
      return { afterMs: step.retryAfterMs ?? intervals.nowAndThenMs, resync: true };
    case 'call':
    case 'write':
      return { afterMs: retryMs };
    case 'done':
      return { afterMs: Math.min(step.afterMs ?? Infinity, nowAndThenMs(context)), resync: true };
    case 'suspended':
      return { afterMs: nowAndThenMs(context), resync: true };
  }
}

function nowAndThenMs({ random }: Pick<Context, 'random'>): number {
  return intervals.nowAndThenMs * (1 + random() / 4);
}

/** The next visit after an unchanged status: when it is time to report, or, for a Ready object that cannot be read, now and then. */
function keptMs(retryMs: number | undefined, inMs: number | undefined): number {
  return inMs === undefined ? (retryMs ?? intervals.atLatestMs) : Math.min(retryMs ?? intervals.forCloudMs, inMs);
}

function waitMs({ afterMs, inProgressSince }: Extract<Step, { type: 'wait' }>, isUnread: boolean): number {
  if (inProgressSince !== undefined)
    return Math.min(afterMs ?? intervals.forProgressMs, isUnread ? intervals.forCloudMs : intervals.forProgressMs);
  return Math.min(afterMs ?? intervals.atLatestMs, intervals.atLatestMs);
}
