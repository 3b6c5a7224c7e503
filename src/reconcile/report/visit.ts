import type { KindReconciler } from '../kinds/kind.ts';
import type { Remembered } from '../wiring/memory.ts';
import type { Situation } from '../situation/situation.ts';
import { failedChange, type Outcome } from '../step/outcome.ts';
import {
  stall,
  wait,
  type Step,
  type Action,
  describeAction,
  type WaitOrStall,
} from '../step/step.ts';
import { cutToFit } from '../step/short-message.ts';
import { intervals } from '../step/intervals.ts';
import type { CloudError } from '../../cloud/cloud-error.ts';
import { operations } from '../../cloud/wire/all.ts';
import { errorPolicy, describeCloudError } from '../step/errors.ts';
import { orLeave } from '../decide/or-retain.ts';
import { unreadableCloud } from '../decide/unreadable-cloud.ts';
import { listLagMs } from '../ledger/record.ts';
import { asksPerson, isHeld, isReason, syncedOf } from '../../resources/condition.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { reportInMs, troubleOf } from './patience.ts';
import { stateSince } from '../situation/history.ts';

/** A visit to an object: the situation, the step, and the outcome of the step. */
export interface Visit<S extends Situation> {
  readonly kind: KindReconciler<S>;
  readonly situation: S;
  /** The decided step. */
  readonly step: Step;
  readonly outcome: Outcome;
  readonly memory: Remembered;
  /** Policy time of its end. */
  readonly endedAt: number;
  /** A random number from 0 to 1, for the back-off. */
  readonly random: number;
}

/**
 * A visit whose outcome is known. `ended` is the decided step, unless the outcome has another
 * report.
 */
export interface EndedVisit<S extends Situation> extends Visit<S> {
  readonly ended: Step;
}

/**
 * A visit with the step that status reports. `reported` is the ended step, unless trouble lasts, or
 * work takes too long.
 */
export interface ReportedVisit<S extends Situation> extends Visit<S> {
  readonly reported: Step;
}

/**
 * Whether the step was not carried out. The next visit follows after the back-off of the object.
 */
export function hasFailed({ outcome: { type } }: Pick<Visit<Situation>, 'outcome'>): boolean {
  return type === 'failed' || type === 'conflict' || type === 'writeFailed';
}

/** The step of an {@link EndedVisit}. */
export function stepAfterOutcome({
  situation,
  step,
  outcome,
}: Pick<Visit<Situation>, 'situation' | 'step' | 'outcome'>): Step {
  switch (outcome.type) {
    case 'failed':
      return failureStep(step, outcome.error, situation);
    case 'stalled':
    case 'writeFailed':
    case 'conflict':
      return outcome.step;
    case 'nothing':
    case 'released':
    case 'done':
      return step;
  }
}

function failureStep(step: Step, error: CloudError, { noun, now }: Situation): Step {
  const action = step.type === 'call' || step.type === 'write' ? step.action : undefined;
  const { request, remedy } = describeAction(action, `the ${noun}`);
  if (operations[error.operation].effect === 'create' && !error.changedNothing) {
    // The message holds until the next answer: until then it is unknown whether this request had a late effect.
    const advice = error.kind === 'unreadable' ? "; if that lasts, ask the cloud's support" : '';
    const message = describeCloudError(
      error,
      request,
      `; the operator looks for the result first, so nothing is created twice${advice}`,
    );
    return wait('ResolvingCreate', message, { afterMs: intervals.afterUnansweredMs });
  }
  const consequence = errorPolicy(error);
  if (consequence.type === 'stall') {
    const { reason, retryAfterMs } = consequence;
    const again = `tried again at ${timeOf(now + retryAfterMs)}`;
    const hint =
      unshownHint(action, noun, error) ??
      (error.kind === 'invalid' ? `${remedy}; ${again}` : rightsHint(action));
    return stall(reason, describeCloudError(error, request, `; ${hint}`), retryAfterMs);
  }
  if (
    error.kind === 'notFound' &&
    (action?.type === 'delete' || action?.type === 'deletePeering')
  ) {
    const contradiction =
      ", but the cloud's list still shows it: ask the cloud's support; the operator retries";
    return wait(consequence.reason, describeCloudError(error, request, contradiction));
  }
  const after = consequence.retryAfterMs === undefined ? {} : { afterMs: consequence.retryAfterMs };
  const isRefusedForNow = error.kind === 'notFound' || error.kind === 'conflict';
  const next = isRefusedForNow
    ? `tried again until it can${leaveUnshown(action)}`
    : `the operator repeats the request to ${request}`;
  return wait(consequence.reason, describeCloudError(error, request, `; ${next}`), after);
}

/** Clouds refuse a request beyond a quota with 403, too. */
function rightsHint(action: Action | undefined): string {
  const rights = 'check the rights of the API key';
  return action?.type === 'create' || action?.type === 'change'
    ? `${rights}, and your quota`
    : rights;
}

/** The next whole minute, such as `16:40 UTC`. */
function timeOf(ms: number): string {
  return `${new Date(Math.ceil(ms / 60_000) * 60_000).toISOString().slice(11, 16)} UTC`;
}

function unshownHint(
  action: Action | undefined,
  noun: string,
  { kind }: CloudError,
): string | undefined {
  if (action?.type !== 'delete' || !action.isUnshown || kind === 'unauthorized') return undefined;
  const then =
    kind === 'invalid' ? 'the operator repeats the DELETE later' : 'allow the API key to delete';
  return `the list lacks the ${noun}: ${then}${leaveUnshown(action)}`;
}

function leaveUnshown(action: Action | undefined): string {
  return action?.type === 'delete' && action.isUnshown ? orLeave : '';
}

/**
 * The pause after a change was refused, was tried in a state that should allow none, or had an unclear answer.
 * Only a person or time can make it possible: other changes go first. Pure.
 * @param backOffMs the pause if no other rule applies
 * @returns undefined after a success, and after a failure that says nothing about the change itself. `isUnclear`:
 * the change may have been, or may be, carried out
 */
export function pauseAfter<S extends Situation>(
  { situation, reported, outcome }: Pick<ReportedVisit<S>, 'situation' | 'reported' | 'outcome'>,
  backOffMs: number,
): { readonly forMs: number; readonly isUnclear: boolean } | undefined {
  if (!failedChange(outcome) || reported.type === 'keep') return undefined;
  if (outcome.type === 'writeFailed') return { forMs: backOffMs, isUnclear: false };
  const error = outcome.type === 'failed' ? outcome.error : undefined;
  const isUnanswered = error?.changedNothing === false;
  const isUnclear =
    isUnanswered || (outcome.type === 'stalled' && isReason(outcome.step.reason, 'NotApplied'));
  if (reported.type === 'stall')
    return { forMs: reported.retryAfterMs ?? intervals.nowAndThenMs, isUnclear };
  if (!situation.isAtRest) return { forMs: intervals.nowAndThenMs, isUnclear };
  if (isUnanswered) return { forMs: Math.max(backOffMs, listLagMs), isUnclear };
  return error?.kind === 'conflict' || error?.kind === 'notFound'
    ? { forMs: backOffMs, isUnclear }
    : undefined;
}

/** The visit that follows at once reports the refused change together with the remaining work. */
export function isRefusedNow<S extends Situation>(
  visit: Pick<ReportedVisit<S>, 'situation' | 'reported' | 'outcome'>,
): boolean {
  return pauseAfter(visit, 0)?.isUnclear === false;
}

/**
 * Undefined after a visit that learned something and could write. The first conflict is a beginning: a busy process meets its own
 * writes, and a visit that lasted long, or an earlier silence of the cloud, makes no second conflict.
 */
export function waitingSinceAfter<S extends Situation>(visit: EndedVisit<S>): number | undefined {
  const { ended, outcome, memory, endedAt } = visit;
  if (ended.type !== 'keep') return undefined;
  if (outcome.type === 'conflict' && memory.failures === 0) return endedAt;
  const { object, now, list, progressList } = visit.situation;
  const failingSince =
    outcome.type === 'nothing' ? (progressList?.failingSince ?? list?.failingSince) : undefined;
  return memory.waitingSince ?? (wasSynced(object) ? now : Math.min(now, failingSince ?? now));
}

/**
 * The step of a {@link ReportedVisit}. It reports a visit that learned nothing, or could not write, only if that lasts.
 * @param trouble see {@link lastingTrouble}. If the object asks a person, status keeps the question
 */
export function stepToReport<S extends Situation>(
  visit: EndedVisit<S>,
  trouble: WaitOrStall | undefined,
): Step {
  const { ended, situation } = visit;
  if (trouble) return trouble.type === 'wait' && stillAsks(situation.object) ? ended : trouble;
  return unreadWork(visit) ?? withoutNewState(ended, situation);
}

/** The trouble that has lasted long enough to be reported. The end of the visit counts: it may have waited long for an answer. */
export function lastingTrouble<S extends Situation>(
  visit: EndedVisit<S>,
  waitingSince: number | undefined,
): WaitOrStall | undefined {
  const { situation, ended, outcome, endedAt } = visit;
  const isWriteLost = outcome.type === 'writeFailed' || outcome.type === 'conflict';
  const { object } = situation;
  if (ended.type !== 'keep' || waitingSince === undefined) return undefined;
  if (reportInMs(troubleOf(object), waitingSince, endedAt) > 0) return undefined;
  return isWriteLost || !wasSynced(object) ? ended.delayedReport : undefined;
}

/** Reports that the list with the cloud's work fails, if that lasts. */
function unreadWork<S extends Situation>({
  ended,
  situation,
  endedAt,
}: EndedVisit<S>): WaitOrStall | undefined {
  const { progressList: list } = situation;
  if (ended.type !== 'wait' || ended.inProgressSince === undefined) return undefined;
  if (!list?.failure || list.begunAt === undefined) return undefined;
  return reportInMs('unreadWork', list.begunAt, endedAt) > 0
    ? undefined
    : unreadableCloud(situation, list.failure).delayedReport;
}

/** Reports work of the cloud that shows no new state for long. Frequent polls end: the followed lists show its end, too. */
function withoutNewState(step: Step, situation: Situation): Step {
  const { record, now } = situation;
  if (step.type !== 'wait' || step.inProgressSince === undefined) return step;
  const since = Math.max(stateSince(situation), situation.lastOperation?.at ?? 0);
  if (reportInMs('workWithoutNewState', since, now) > 0) return step;
  const { inProgressSince: _polled, message, ...rest } = step;
  const id = record.id === undefined ? '' : ` with the id ${record.id}`;
  const advice = `; no new state since ${new Date(since).toISOString()}: ask the cloud's support${id}`;
  return { ...rest, message: cutToFit(message, advice) + advice };
}

/**
 * Whether status says that this generation of the spec is applied, but for held changes, and the object is not being
 * deleted.
 */
export function wasSynced(object: ManagedObject): boolean {
  const synced = syncedOf(object);
  return (
    (synced?.status === 'True' || isHeld(object)) &&
    synced?.observedGeneration === object.metadata.generation &&
    !object.metadata.deletionTimestamp
  );
}

/** Whether status asks a person to act on this spec. */
export function stillAsks(object: ManagedObject): boolean {
  return asksPerson(object) && syncedOf(object)?.observedGeneration === object.metadata.generation;
}

/** Work of the cloud on a resource since a policy time, which a list shows. */
export interface Progress {
  readonly id: string;
  readonly since: number;
}

/** The cloud's work to poll. `asBefore` if the step learned nothing, or if another visit follows at once. */
export function progressToWatch(
  step: Step,
  { record: { id } }: Pick<Situation, 'record'>,
): Progress | 'asBefore' | undefined {
  if (step.type === 'keep' || step.type === 'call' || step.type === 'write') return 'asBefore';
  if (step.type !== 'wait' || step.inProgressSince === undefined || id === undefined)
    return undefined;
  return { id, since: step.inProgressSince };
}
