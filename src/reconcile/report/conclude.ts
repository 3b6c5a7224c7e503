import type { Requeue } from '../../runtime/index.ts';
import type { WatchedProgress } from '../process/list-subscriptions.ts';
import type { Remembered } from '../process/memory.ts';
import type { Situation } from '../situation/situation.ts';
import { driftEvents, transitionEvents, uselessAdoption, type Report } from './events.ts';
import { progressToWatch } from './follow.ts';
import { memoryAfter } from './memory-after.ts';
import { nextVisit } from './next-visit.ts';
import { statusAfter } from './status.ts';
import { stepToReport, unreportedForMs, waitingSinceAfter } from './step-to-report.ts';
import { stepAfterOutcome, type Visit } from './visit.ts';

/** The result of a visit. */
export interface Conclusion {
  /** The status for the user; undefined if there is nothing to report, or not yet. */
  readonly status: object | undefined;
  /** Reports of what was seen, also if the status is not written. */
  readonly seen: readonly Report[];
  /** Reports that go with the status. */
  readonly transitions: readonly Report[];
  /** The memory of the process for the next visit. */
  readonly memory: Remembered;
  /** The cloud's work that is polled from now on; `asBefore` if nothing was learned, or if another visit follows at once. */
  readonly work: WatchedProgress | 'asBefore' | undefined;
  readonly next: Requeue;
}

/** Concludes a visit. Pure: `publish` writes the result. */
export function conclude<S extends Situation>(visit: Visit<S>): Conclusion {
  const ended = { ...visit, step: stepAfterOutcome(visit) };
  const waitingSince = waitingSinceAfter(ended);
  const reported = { ...ended, step: stepToReport(ended, waitingSince) };
  const status = statusAfter(reported, waitingSince);
  const useless = status && uselessAdoption(visit);
  const drift = status ? driftEvents(reported) : undefined;
  const memory = { ...memoryAfter(reported), waitingSince, ...useless?.memory, ...drift?.memory };
  const isBrief = unreportedForMs(visit.situation, memory) !== undefined;
  return {
    status: isBrief ? undefined : status,
    seen: [...(useless?.reports ?? []), ...(drift?.reports ?? [])],
    transitions: status && !isBrief ? transitionEvents(reported) : [],
    memory,
    work: progressToWatch(reported.step, visit.situation.progressList, visit.situation.identity),
    next: nextVisit({ ...reported, memory }),
  };
}
