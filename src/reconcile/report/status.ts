import { isRefusedNow, type ReportedVisit } from './visit.ts';
import { annotations } from '../../resources/annotations.ts';
import { isObserved, isRetained, onDelete } from '../situation/options.ts';
import { heldChanges } from '../decide/gate.ts';
import { lastWords } from '../decide/last-words.ts';
import { acceptedAt } from '../step/outcome.ts';
import { failedCreate, type FailedCreate } from '../step/create-backoff.ts';
import { stateSince, ownStatus } from '../situation/history.ts';
import type { Serving } from '../kinds/kind.ts';
import type { Situation } from '../situation/situation.ts';
import { heldChangesOf, type ManagedObject } from '../../resources/managed-object.ts';
import { wait, type Step, type WaitOrStall } from '../step/step.ts';
import { secretVersionIn } from '../connection/projection.ts';
import {
  isUnseen,
  isReason,
  servingOf,
  syncedOf,
  type Condition,
} from '../../resources/condition.ts';

/**
 * The status after a visit. Undefined if there is nothing to report.
 * @param trouble the trouble that has lasted long enough to be reported
 */
export function statusAfter<S extends Situation>(
  visit: ReportedVisit<S>,
  trouble: WaitOrStall | undefined,
): object | undefined {
  const { reported } = visit;
  if (trouble && reported.type === 'keep')
    return withTrouble(visit.situation.object, trouble.message);
  if (reported.type === 'release') return statusAtRelease(visit, reported.message);
  return hasNothingToReport(visit) ? undefined : statusOf(visit, reported, readyAfter(visit));
}

/** The status of a released object that other finalizers hold. Undefined for an object that is gone, or not released. */
function statusAtRelease<S extends Situation>(
  visit: ReportedVisit<S>,
  message: string,
): object | undefined {
  if (visit.outcome.type !== 'released') return undefined;
  const words = lastWords(visit.situation.object, message);
  return words === undefined ? undefined : statusOf(visit, wait('Deleting', words), undefined);
}

/** The status of an object with a question to a person: Synced keeps the question, Stalled has the trouble that delays any answer. */
function withTrouble({ status }: ManagedObject, message: string): object {
  const conditions = status?.conditions?.map((each) =>
    each.type === 'Ready' || each.type === 'Synced' ? each : { ...each, message },
  );
  return { ...status, conditions };
}

/** Whether another visit with more knowledge follows at once, or nothing was learned. */
export function hasNothingToReport<S extends Situation>(visit: ReportedVisit<S>): boolean {
  const { reported, outcome } = visit;
  if (reported.type === 'keep' || reported.type === 'release' || isRefusedNow(visit)) return true;
  return outcome.type === 'done' && outcome.accepted === undefined;
}

/**
 * The whole status, with the parts of the previous status that still apply.
 * @param step the step that the conditions report
 * @param serving undefined if the resource does not serve
 */
function statusOf<S extends Situation>(
  visit: ReportedVisit<S>,
  step: Step,
  serving: Serving | undefined,
): object {
  const { kind, situation } = visit;
  const { object, now, cloud, deletion, environment } = situation;
  const previous = object.status;
  const observedGeneration = object.metadata.generation;
  const place = identityOf(situation);
  return {
    // The previous status of another resource does not apply.
    ...(place.id === previous?.id ? previous : {}),
    ...(cloud.state === 'present' ? kind.mirror(situation) : {}),
    ...(cloud.state === 'absent' ? { state: undefined } : {}),
    stateSince:
      situation.state === undefined ? undefined : new Date(stateSince(situation)).toISOString(),
    observedGeneration,
    lastHandledReconcileAt: object.metadata.annotations?.[annotations.requestedAt],
    ...place,
    onDelete:
      deletion.started && !isRetained(situation)
        ? 'Delete'
        : onDelete(object, environment, situation),
    ...secretOf(situation, place.id),
    lastOperation: lastOperationAfter(visit),
    notApplied: notAppliedIn(situation),
    heldChanges: heldIn(situation),
    refusal: failedCreateAfter(visit),
    conditions: conditionsOf(step, serving, previous?.conditions ?? [], {
      observedGeneration,
      now,
    }),
  };
}

/** Without a ledger entry the object keeps the known id and project in its status: they are evidence against another create. */
function identityOf({ object: { status }, record: { id, projectId }, claim }: Situation) {
  if (id !== undefined) return { id, projectId };
  const isLost = claim.state === 'unbound' && claim.asked === undefined && status?.id === undefined;
  const lost = isLost ? claim : status;
  return { id: lost?.id, projectId: lost?.projectId };
}

/**
 * A foreign Secret is never shown.
 * @param shown the id in the same status. As long as it is shown and not decided about, its Secret is, too
 */
function secretOf({ object, secret, record }: Situation, shown: string | undefined) {
  if (!secret || shown === undefined) return {};
  const before = object.status && 'binding' in object.status ? object.status.binding : undefined;
  if (secret.state === 'unread' || record.id === undefined)
    return { binding: before, connectionSecret: secretVersionIn(object) };
  if (secret.state === 'absent' || secret.state === 'unusable')
    return { binding: undefined, connectionSecret: undefined };
  const connectionSecret = secret.state === 'current' ? secret.version : secretVersionIn(object);
  return { binding: { name: secret.name }, connectionSecret };
}

function lastOperationAfter<S extends Situation>({
  situation,
  reported,
  outcome,
}: ReportedVisit<S>) {
  const { object, now, cloud, isAtRest, lastOperation: last } = situation;
  if (outcome.type === 'done' && outcome.accepted) return acceptedAt(outcome.accepted, object, now);
  if (!last || isOver(situation, reported)) return undefined;
  const isBusy = cloud.state === 'present' && !isAtRest;
  return { ...last, at: new Date(last.at).toISOString(), ...(isBusy ? { wasBusy: true } : {}) };
}

/** Whether the last change is over: all is as wanted, or only rules of users hold what is not, or its value is seen at rest and still requested. */
export function isOver(
  { object, cloud, isAtRest, lastOperation: last, pendingChanges }: Situation,
  step: Step,
): boolean {
  const isSeen =
    cloud.state === 'present' &&
    isAtRest &&
    pendingChanges.every(({ operation }) => operation !== last?.operation);
  return (
    step.type === 'done' ||
    step.type === 'held' ||
    (isSeen && last?.from !== undefined && last.generation === object.metadata.generation)
  );
}

const mostNotApplied = 20;

/** Changes that the cloud accepted without effect. They survive a restart. */
function notAppliedIn(situation: Situation) {
  const { object, cloud, pendingChanges } = situation;
  if (cloud.state !== 'present') return ownStatus(situation)?.notApplied;
  const without = pendingChanges.flatMap(({ step, operation, from, wanted }) => {
    const isOne =
      step.type === 'stall' &&
      isReason(step.reason, 'NotApplied') &&
      operation !== undefined &&
      from !== undefined &&
      wanted !== undefined;
    return isOne ? [{ operation, from, wanted, generation: object.metadata.generation }] : [];
  });
  return without.length === 0 ? undefined : without.slice(0, mostNotApplied);
}

/** Whatever rule speaks, the status lists the changes that the gate holds. An entry keeps its time while the change is the same. */
function heldIn(situation: Situation): ReturnType<typeof heldChangesOf> | undefined {
  const { object, cloud, now, deletion, options } = situation;
  const isLeft = deletion.requested || object.spec.suspend === true || isObserved(object, options);
  if (situation.rules === undefined || isLeft) return undefined;
  const before = heldChangesOf({ status: ownStatus(situation) });
  if (cloud.state === 'none' || cloud.state === 'absent') return undefined;
  if (cloud.state !== 'present') return before.length === 0 ? undefined : before;
  const held = heldChanges(situation).map(({ operation, change, waitsFor, until }) => ({
    operation,
    change,
    waitsFor,
    ...(until !== undefined && { until: new Date(until).toISOString() }),
    since:
      before.find((each) => each.operation === operation && each.change === change)?.since ??
      new Date(now).toISOString(),
  }));
  return held.length === 0 ? undefined : held;
}

function failedCreateAfter<S extends Situation>({
  situation,
  reported,
  outcome,
}: ReportedVisit<S>): FailedCreate | undefined {
  const { object, cloud, record, now } = situation;
  const earlier = object.status?.refusal;
  const isAnswered =
    outcome.type === 'failed' &&
    outcome.attempt !== undefined &&
    (reported.type === 'wait' || reported.type === 'stall');
  // It is kept until its attempt is closed and a resource is there, and delays the next create until then.
  if (!isAnswered)
    return cloud.state === 'present' && record.attempt === undefined ? undefined : earlier;
  return failedCreate(reported, object.metadata.generation, earlier, now);
}

type Draft = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** While the cloud cannot be read, nothing is known to have changed. */
function readyAfter<S extends Situation>({
  kind,
  situation,
}: ReportedVisit<S>): Serving | undefined {
  const { cloud, record, claim, deletion, object } = situation;
  if (record.id === undefined || claim.state !== 'ours' || deletion.started) return undefined;
  if (cloud.state === 'present') return kind.serving(situation);
  return cloud.state !== 'absent' && object.status?.id === record.id
    ? servingOf(object)
    : undefined;
}

/**
 * The conditions after a step.
 * @param serving undefined if the resource does not serve
 */
export function conditionsOf(
  step: Step,
  serving: Serving | undefined,
  previous: readonly Condition[],
  {
    observedGeneration,
    now,
  }: { readonly observedGeneration: number | undefined; readonly now: number },
): readonly Condition[] {
  const seen = previous.filter((condition) => !isUnseen(condition));
  const [synced, ...more] = syncedAfter(step, previous, observedGeneration);
  if (!synced) return [];
  const ready = serving
    ? { ...serving, status: 'True' as const }
    : { ...synced, status: 'False' as const };
  const { status, reason, message } = ready;
  return [{ type: 'Ready', status, reason, message }, synced, ...more].map((condition) => {
    const before = seen.find(({ type }) => type === condition.type);
    return {
      ...condition,
      ...(observedGeneration === undefined ? {} : { observedGeneration }),
      lastTransitionTime:
        before?.status === condition.status
          ? before.lastTransitionTime
          : new Date(now).toISOString(),
    };
  });
}

function syncedAfter(
  step: Step,
  previous: readonly Condition[],
  observedGeneration: number | undefined,
): readonly Draft[] {
  switch (step.type) {
    case 'call':
    case 'wait':
      return unsynced('Reconciling', step);
    case 'stall':
      return unsynced('Stalled', step);
    case 'done':
      return [
        {
          type: 'Synced',
          status: step.differs === true ? 'False' : 'True',
          reason: step.reason,
          message: step.message,
        },
      ];
    case 'held':
      return [{ type: 'Synced', status: 'False', reason: step.reason, message: step.message }];
    case 'suspended': {
      const before = syncedOf({ status: { conditions: previous } });
      const known = before?.observedGeneration === observedGeneration ? before?.status : undefined;
      const status =
        step.differs === 'unknown' ? (known ?? 'Unknown') : step.differs ? 'False' : 'True';
      return [{ type: 'Synced', status, reason: 'Suspended', message: step.message }];
    }
    case 'write':
      return step.reason ? unsynced('Reconciling', { ...step, reason: step.reason }) : [];
    case 'keep':
    case 'release':
      return [];
  }
}

function unsynced(
  type: 'Reconciling' | 'Stalled',
  { reason, message }: { readonly reason: string; readonly message: string },
): readonly Draft[] {
  return [
    { type: 'Synced', status: 'False', reason, message },
    { type, status: 'True', reason, message },
  ];
}
