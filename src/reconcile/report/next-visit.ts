import type { Requeue } from '../../runtime/index.ts';
import type { Remembered } from '../process/memory.ts';
import type { Situation } from '../situation/situation.ts';
import { longestRetryMs, intervals, retryDelayMs } from '../step/intervals.ts';
import type { Step } from '../step/step.ts';
import { isRefusedNow } from './refused.ts';
import { patienceMs, unreportedForMs } from './step-to-report.ts';
import { hasFailed, type Visit } from './visit.ts';

/** The time of the next visit. Changes in the cloud or in Kubernetes wake the object earlier. Pure. */
export function nextVisit<S extends Situation>(visit: Visit<S>): Requeue {
  const next = plannedVisit(visit);
  const inMs = visit.situation.requestedVisitInMs ?? Infinity;
  return next === 'forget' || inMs >= next.afterMs ? next : { afterMs: inMs };
}

function plannedVisit<S extends Situation>(visit: Visit<S>): Requeue {
  const { situation, step, outcome, memory, endedAt, random } = visit;
  const isToBeRepeated = hasFailed(visit);
  const longestMs = outcome.type === 'failed' ? intervals.atLatestMs : longestRetryMs;
  const retryMs = Math.min(retryDelayMs(Math.max(memory.failures - 1, 0), random), longestMs);
  // Another change may be possible now.
  if (outcome.type === 'done' || isRefusedNow(visit)) return { afterMs: 0 };
  switch (step.type) {
    case 'release':
      return 'forget';
    case 'keep':
      return { afterMs: keptMs(isToBeRepeated ? retryMs : undefined, reportDueInMs(memory, endedAt)) };
    case 'wait': {
      if (isToBeRepeated && step.afterMs === undefined) return { afterMs: retryMs };
      const isUnread = situation.progressList?.failure !== undefined;
      return { afterMs: Math.min(waitMs(step, isUnread), unreportedForMs(situation, memory) ?? Infinity) };
    }
    case 'stall':
      return { afterMs: step.retryAfterMs ?? intervals.nowAndThenMs, resync: true };
    case 'call':
    case 'write':
      return { afterMs: retryMs };
    case 'done':
      return { afterMs: Math.min(step.afterMs ?? Infinity, nowAndThenMs(random)), resync: true };
    case 'suspended':
      return { afterMs: nowAndThenMs(random), resync: true };
  }
}

/** Milliseconds until a report of a lasting problem; undefined if that time is over. */
function reportDueInMs({ waitingSince }: Pick<Remembered, 'waitingSince'>, now: number): number | undefined {
  const inMs = (waitingSince ?? now) + patienceMs - now;
  return inMs > 0 ? inMs : undefined;
}

function nowAndThenMs(random: number): number {
  return intervals.nowAndThenMs * (1 + random / 4);
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
