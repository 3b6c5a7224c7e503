import { heldChanges, withoutApprovalsOf } from '../decide/gate.ts';
import type { Requeue } from '../../runtime/index.ts';
import { type Remembered, orEmpty, type ObjectMemory } from '../wiring/memory.ts';
import type { Situation } from '../situation/situation.ts';
import {
  differsFromAdopted,
  driftEvents,
  sharedName,
  transitionEvents,
  uselessAdoption,
  type Report,
} from './events.ts';
import { statusAfter, hasNothingToReport, isOver } from './status.ts';
import {
  progressToWatch,
  stepToReport,
  waitingSinceAfter,
  lastingTrouble,
  stepAfterOutcome,
  type ReportedVisit,
  type Visit,
  hasFailed,
  isRefusedNow,
  pauseAfter,
  type Progress,
} from './visit.ts';
import { reportInMs, troubleOf } from './patience.ts';
import { longestRetryMs, intervals, retryDelayMs } from '../step/intervals.ts';
import { annotationKey } from '../../resources/annotations.ts';
import { isReason } from '../../resources/condition.ts';
import { acceptedAt, failedChange, refusalKey, type RefusedChange } from '../step/outcome.ts';

/** Everything that follows from a visit, as data. `publish` writes it. */
export interface Conclusion {
  /** Undefined if there is nothing to report, or not yet. */
  readonly status: object | undefined;
  /** Reports of observations, also if the status is not written. */
  readonly seen: readonly Report[];
  readonly transitions: readonly Report[];
  readonly memory: Remembered;
  /** The cloud's work that is polled from now on; `asBefore` if nothing was learned, or if another visit follows at once. */
  readonly work: Progress | 'asBefore' | undefined;
  readonly next: Requeue;
}

/**
 * Concludes a visit: its status, its events, the memory for the next visit and the time of that
 * visit. Pure. See {@link Visit} and the types after it for the three steps: decided, ended and reported.
 */
export function conclude<S extends Situation>(visit: Visit<S>): Conclusion {
  const endedVisit = { ...visit, ended: stepAfterOutcome(visit) };
  const waitingSince = waitingSinceAfter(endedVisit);
  const trouble = lastingTrouble(endedVisit, waitingSince);
  const reportedVisit = { ...visit, reported: stepToReport(endedVisit, trouble) };
  const status = statusAfter(reportedVisit, trouble);
  const drift = status ? driftEvents(reportedVisit) : undefined;
  const memory = {
    ...memoryAfter(reportedVisit),
    ...afterPasswordCall(visit),
    waitingSince,
    ...drift?.memory,
  };
  // After a release, no later visit makes up for a report.
  const isBrief = visit.step.type !== 'release' && workReportInMs(visit.situation, memory) > 0;
  return {
    status: isBrief ? undefined : status,
    seen: [
      ...sharedName(visit),
      ...differsFromAdopted(visit),
      ...(status ? uselessAdoption(visit) : []),
      ...(drift?.reports ?? []),
    ],
    transitions: status && !isBrief ? transitionEvents(reportedVisit) : [],
    memory,
    work: progressToWatch(reportedVisit.reported, visit.situation),
    next: nextVisit({ ...reportedVisit, memory }),
  };
}

/** The next visit, at the latest when time alone leads to other changes. Pure. */
function nextVisit<S extends Situation>(visit: ReportedVisit<S>): Requeue {
  const next = nextVisitOfStep(visit);
  const { situation, reported, random } = visit;
  const openings = heldChanges(situation).map(({ until = Infinity }) => until - situation.wallTime);
  const inMs =
    Math.min(situation.changesInMs ?? Infinity, ...openings) + random * intervals.openingSpreadMs;
  const isLeft = next === 'forget' || reported.type === 'suspended';
  // People wait for an opening, so it is no resync.
  return isLeft || inMs >= next.afterMs ? next : { afterMs: inMs };
}

/** Changes in the cloud or in Kubernetes wake the object earlier. Pure. */
function nextVisitOfStep<S extends Situation>(visit: ReportedVisit<S>): Requeue {
  const { situation, reported: step, outcome, memory, endedAt, random } = visit;
  // Another change may be possible now.
  if (outcome.type === 'done' || isRefusedNow(visit)) return { afterMs: 0 };
  const longestMs = outcome.type === 'failed' ? intervals.atLatestMs : longestRetryMs;
  const retryMs = Math.min(retryDelayMs(Math.max(memory.failures - 1, 0), random), longestMs);
  const nowAndThenMs = intervals.nowAndThenMs * (1 + random / 4);
  switch (step.type) {
    case 'release':
      return 'forget';
    case 'keep': {
      // When it is time to report; afterwards, an object that still cannot be read is Ready.
      const since = memory.waitingSince ?? endedAt;
      const inMs = reportInMs(troubleOf(situation.object), since, endedAt);
      if (inMs === 0) return { afterMs: hasFailed(visit) ? retryMs : intervals.atLatestMs };
      return { afterMs: Math.min(hasFailed(visit) ? retryMs : intervals.forCloudMs, inMs) };
    }
    case 'wait': {
      if (hasFailed(visit) && step.afterMs === undefined) return { afterMs: retryMs };
      if (outcome.type === 'conflict')
        return { afterMs: Math.min(Math.max(step.afterMs ?? 0, retryMs), intervals.atLatestMs) };
      const progressMs =
        situation.progressList?.failure === undefined
          ? intervals.forProgressMs
          : intervals.forCloudMs;
      const atLatestMs = step.inProgressSince === undefined ? intervals.atLatestMs : progressMs;
      return {
        afterMs: Math.min(
          step.afterMs ?? Infinity,
          atLatestMs,
          workReportInMs(situation, memory) || Infinity,
        ),
      };
    }
    case 'stall':
      return { afterMs: step.retryAfterMs ?? intervals.nowAndThenMs, resync: true };
    case 'call':
    case 'write':
      return { afterMs: retryMs };
    case 'done':
      return { afterMs: Math.min(step.afterMs ?? Infinity, nowAndThenMs), resync: true };
    case 'held': {
      // A late begin must not miss a short window.
      const spreadMs = Math.min(intervals.openingSpreadMs, (step.opensForMs ?? Infinity) / 10);
      const openingMs = (step.opensInMs ?? Infinity) + random * spreadMs;
      return openingMs < nowAndThenMs
        ? { afterMs: openingMs }
        : { afterMs: nowAndThenMs, resync: true };
    }
    case 'suspended':
      return { afterMs: nowAndThenMs, resync: true };
  }
}

/** Milliseconds until the cloud's present work is reported; 0 if it is reported, or if there is none. */
function workReportInMs(
  { now }: Pick<Situation, 'now'>,
  { unreportedSince }: Pick<Remembered, 'unreportedSince'>,
): number {
  return unreportedSince === undefined ? 0 : reportInMs('work', unreportedSince, now);
}

/** The memory after a visit, except for times and events. Pure. */
export function memoryAfter<S extends Situation>(visit: ReportedVisit<S>): ObjectMemory {
  const { situation, memory } = visit;
  return {
    ...memory,
    resource: adopted(visit) ?? situation.record.id ?? memory.resource,
    failures: hasFailed(visit) ? memory.failures + 1 : 0,
    unreportedSince: unreportedSinceAfter(visit),
    accepted: acceptedAfter(visit),
    unclearAt: unclearAtAfter(visit),
    refusals: orEmpty(refusalsAfter(visit)),
    removedAnnotations: removedAnnotationsAfter(visit),
  };
}

/** Another request of the operation may use an approval that stands again: then the operator removes it once more. */
function removedAnnotationsAfter<S extends Situation>({
  situation,
  step,
  outcome,
  memory: { removedAnnotations: before },
}: Visit<S>): ObjectMemory['removedAnnotations'] {
  if (step.type === 'call' && step.action.type === 'change')
    return withoutApprovalsOf(step.action.change.operation, before);
  const isRemoval =
    step.type === 'write' && step.action.type === 'dropAnnotations' && outcome.type === 'done';
  if (!isRemoval) return before;
  const texts = situation.object.metadata.annotations ?? {};
  const keys = step.action.names.map((name) => annotationKey(name, texts[name] ?? ''));
  return new Set([...(before ?? []), ...keys]);
}

/** A visit that learned nothing says nothing about the end of the cloud's work. */
function unreportedSinceAfter<S extends Situation>(visit: ReportedVisit<S>): number | undefined {
  const { unreportedSince } = visit.memory;
  if (hasNothingToReport(visit)) return unreportedSince;
  return isWork(visit) ? (unreportedSince ?? visit.situation.now) : undefined;
}

function acceptedAfter<S extends Situation>(visit: ReportedVisit<S>): ObjectMemory['accepted'] {
  const { situation, reported, outcome, memory } = visit;
  if (outcome.type === 'done' && outcome.accepted)
    return acceptedAt(outcome.accepted, situation.object, situation.now);
  return isOver(situation, reported) ? undefined : memory.accepted;
}

/** An answer stays unclear until the cloud shows the resource as it was after that answer. */
function unclearAtAfter<S extends Situation>(visit: ReportedVisit<S>): number | undefined {
  const { situation, reported, outcome, memory, endedAt } = visit;
  const error = outcome.type === 'failed' && reported.type !== 'keep' ? outcome.error : undefined;
  if (error?.changedNothing === false || error?.kind === 'conflict') return endedAt;
  const { cloud } = situation;
  const isObservedSince = cloud.state === 'present' && cloud.asOf >= (memory.unclearAt ?? Infinity);
  return isObservedSince ? undefined : memory.unclearAt;
}

/** The id of the resource that this visit took over. */
function adopted<S extends Situation>({ outcome }: Visit<S>): string | undefined {
  const accepted = outcome.type === 'done' ? outcome.accepted : undefined;
  return accepted?.operation === 'adopt' ? accepted.wanted : undefined;
}

/** A password that was sent, or may have been sent, does not count as never sent any more. */
function afterPasswordCall<S extends Situation>({ step, outcome }: Visit<S>): Partial<Remembered> {
  if (step.type !== 'call' || step.action.type !== 'setPassword') return {};
  return { neverSent: undefined, ...(outcome.type === 'failed' && outcome.remember) };
}

/** A deletion is recorded before it is requested. Any other accepted change is known only from status, so its status must be written. */
function isWork<S extends Situation>({ reported, outcome }: ReportedVisit<S>): boolean {
  const isDeletion =
    reported.type === 'call' && reported.action.type === 'delete' && outcome.type === 'done';
  return isDeletion || (reported.type === 'wait' && reported.inProgressSince !== undefined);
}

/** The refusals of the present spec that are not over, with the refusal of this visit. */
function refusalsAfter<S extends Situation>(visit: ReportedVisit<S>): ObjectMemory['refusals'] {
  const { situation, reported, outcome, memory, endedAt, random } = visit;
  const { generation } = situation.object.metadata;
  const refusals = new Map(
    [...memory.refusals].filter(
      ([key, refusal]) => refusal.generation === generation && !isOvercome(key, refusal, visit),
    ),
  );
  const failed = failedChange(outcome);
  if (!failed) return refusals;
  const key = refusalKey(failed.operation, failed.wanted);
  const times = (refusals.get(key)?.times ?? 0) + 1;
  const pause = pauseAfter(visit, retryDelayMs(times, random));
  if (!pause) return refusals;
  const { forMs, isUnclear } = pause;
  const again = endedAt + forMs;
  return refusals.set(key, { generation, again, times, isUnclear, step: reported });
}

/** Whether the cloud has accepted the change, or Kubernetes has taken the Secret whose refusal held up a password. */
function isOvercome<S extends Situation>(
  key: string,
  { step: refused }: RefusedChange,
  { step, outcome }: Visit<S>,
): boolean {
  if (outcome.type !== 'done') return false;
  const { accepted } = outcome;
  const isAccepted =
    accepted !== undefined && key === refusalKey(accepted.operation, accepted.wanted);
  const isSecretTaken = step.type === 'write' && step.action.type === 'storeConnection';
  const isAboutSecret = refused.type === 'stall' && isReason(refused.reason, 'SecretConflict');
  return isAccepted || (isSecretTaken && isAboutSecret);
}
