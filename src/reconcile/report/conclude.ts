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
  unreportedForMs,
  waitingSinceAfter,
  reportAfterMsOf,
  stepAfterOutcome,
  type Visit,
  hasFailed,
  isRefusedNow,
  pauseAfter,
  type Progress,
} from './visit.ts';
import { longestRetryMs, intervals, retryDelayMs } from '../step/intervals.ts';
import { acceptedAt, refusalKey } from '../step/outcome.ts';

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
 * visit. Pure.
 */
export function conclude<S extends Situation>(visit: Visit<S>): Conclusion {
  const ended = { ...visit, step: stepAfterOutcome(visit) };
  const waitingSince = waitingSinceAfter(ended);
  const reported = { ...ended, step: stepToReport(ended, waitingSince) };
  const status = statusAfter(reported, waitingSince);
  const drift = status ? driftEvents(reported) : undefined;
  const memory = {
    ...memoryAfter(reported),
    ...afterPasswordCall(visit),
    waitingSince,
    ...drift?.memory,
  };
  // After a release, no later visit makes up for a report.
  const isBrief =
    visit.step.type !== 'release' && unreportedForMs(visit.situation, memory) !== undefined;
  return {
    status: isBrief ? undefined : status,
    seen: [
      ...sharedName(visit),
      ...differsFromAdopted(visit),
      ...(status ? uselessAdoption(visit) : []),
      ...(drift?.reports ?? []),
    ],
    transitions: status && !isBrief ? transitionEvents(reported) : [],
    memory,
    work: progressToWatch(reported.step, visit.situation),
    next: nextVisit({ ...reported, memory }),
  };
}

/** Changes in the cloud or in Kubernetes wake the object earlier. Pure. */
function nextVisit<S extends Situation>(visit: Visit<S>): Requeue {
  const { situation, step, outcome, memory, endedAt, random } = visit;
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
      const reportInMs =
        (memory.waitingSince ?? endedAt) + reportAfterMsOf(situation.object) - endedAt;
      if (reportInMs <= 0) return { afterMs: hasFailed(visit) ? retryMs : intervals.atLatestMs };
      return { afterMs: Math.min(hasFailed(visit) ? retryMs : intervals.forCloudMs, reportInMs) };
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
          unreportedForMs(situation, memory) ?? Infinity,
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
      const openingMs = (step.opensInMs ?? Infinity) + random * intervals.openingSpreadMs;
      return { afterMs: Math.min(openingMs, nowAndThenMs), resync: true };
    }
    case 'suspended':
      return { afterMs: nowAndThenMs, resync: true };
  }
}

/** The memory after a visit, except for times and events. Pure. */
export function memoryAfter<S extends Situation>(visit: Visit<S>): ObjectMemory {
  const { situation, step, outcome, memory, endedAt } = visit;
  const { object, now, cloud, record } = situation;
  const accepted = outcome.type === 'done' ? outcome.accepted : undefined;
  const error = outcome.type === 'failed' && step.type !== 'keep' ? outcome.error : undefined;
  const isObservedSince = cloud.state === 'present' && cloud.asOf >= (memory.unclearAt ?? Infinity);
  return {
    ...memory,
    resource: adopted(visit) ?? record.id ?? memory.resource,
    failures: hasFailed(visit) ? memory.failures + 1 : 0,
    unreportedSince: hasNothingToReport(visit)
      ? memory.unreportedSince
      : isWork(visit)
        ? (memory.unreportedSince ?? now)
        : undefined,
    accepted: accepted
      ? acceptedAt(accepted, object, now)
      : isOver(situation, step)
        ? undefined
        : memory.accepted,
    unclearAt:
      error?.changedNothing === false || error?.kind === 'conflict'
        ? endedAt
        : isObservedSince
          ? undefined
          : memory.unclearAt,
    refusals: orEmpty(refusalsAfter(visit)),
  };
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
function isWork<S extends Situation>({ step, outcome }: Visit<S>): boolean {
  const isDeletion =
    step.type === 'call' && step.action.type === 'delete' && outcome.type === 'done';
  return isDeletion || (step.type === 'wait' && step.inProgressSince !== undefined);
}

function refusalsAfter<S extends Situation>(visit: Visit<S>): ObjectMemory['refusals'] {
  const { situation, step, outcome, memory, endedAt, random } = visit;
  const { generation } = situation.object.metadata;
  const refusals = new Map(
    [...memory.refusals].filter(([, refusal]) => refusal.generation === generation),
  );
  if (outcome.type === 'done' && outcome.accepted)
    refusals.delete(refusalKey(outcome.accepted.operation, outcome.accepted.wanted));
  // Kubernetes has taken the Secret, so a password that it refused is tried again at once.
  const hasSecret =
    outcome.type === 'done' && step.type === 'write' && step.action.type === 'storeConnection';
  if (hasSecret)
    for (const [key, { step: refused }] of refusals)
      if (refused.type === 'stall' && refused.reason === 'SecretConflict') refusals.delete(key);
  if (!('change' in outcome) || !outcome.change) return refusals;
  const key = refusalKey(outcome.change.operation, outcome.change.wanted);
  const times = (refusals.get(key)?.times ?? 0) + 1;
  const pause = pauseAfter(visit, retryDelayMs(times, random));
  if (!pause) return refusals;
  return refusals.set(key, { generation, again: endedAt + pause.forMs, times, step });
}
