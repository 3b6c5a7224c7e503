import { printable } from '../../logging/printable.ts';
import { externalIdIn } from '../../resources/annotations.ts';
import { hasReason, means, syncedOf } from '../../resources/condition.ts';
import type { RecordedEvent } from '../../runtime/index.ts';
import type { Remembered } from '../wiring/memory.ts';
import { othersInLog } from '../situation/neighbours.ts';
import { listed } from '../step/short-message.ts';
import { isObserved } from '../situation/options.ts';
import { mayBeReplaced } from '../situation/history.ts';
import type { Situation } from '../situation/situation.ts';
import type { Step } from '../step/step.ts';
import type { ReportedVisit, Visit } from './visit.ts';
import { isDeepStrictEqual } from 'node:util';
import { gateOf } from '../decide/gate.ts';
import { text } from '../decide/pending-change.ts';

/** An event and a log line: the history of an object. */
export interface Report {
  readonly event?: RecordedEvent;
  readonly log?: {
    readonly level: 'info' | 'warn';
    readonly fields: Readonly<Record<string, unknown>>;
    readonly message: string;
  };
}

/**
 * The reports of a change of Synced: an event and a log line for a new reason, a log line for a new
 * message.
 */
export function transitionEvents<S extends Situation>({
  situation,
  reported,
}: ReportedVisit<S>): readonly Report[] {
  const reason = reasonOf(reported);
  if (reported.type === 'keep' || reason === undefined) return [];
  const synced = syncedOf(situation.object);
  if (synced?.reason === reason && synced.message === reported.message) return [];
  const others = othersInLog(situation);
  const fields = { reason, ...(others.length > 0 ? { others } : {}) };
  const log = {
    level: isLoud(reported) ? ('warn' as const) : ('info' as const),
    fields,
    message: reported.message,
  };
  if (synced?.reason === reason) return [{ log }];
  return [
    {
      log,
      event: { type: isLoud(reported) ? 'Warning' : 'Normal', reason, message: reported.message },
    },
  ];
}

/** The reason of the step in conditions and events. Undefined for a step that status does not report. */
function reasonOf(step: Step): string | undefined {
  if (step.type === 'suspended') return 'Suspended';
  return 'reason' in step ? step.reason : undefined;
}

/** Whether event and log line are warnings: something is wrong, also if no person must help. */
function isLoud(step: Step): boolean {
  return step.type === 'stall' || (step.type === 'wait' && means(step.reason, 'trouble'));
}

/** Reports that an `external-id` on an object with a resource has no effect. */
export function uselessAdoption<S extends Situation>({
  situation: {
    object,
    record: { id },
  },
}: Visit<S>): readonly Report[] {
  const wanted = externalIdIn(object);
  if (id === undefined || wanted === undefined || wanted === id || mayBeReplaced(object, id))
    return [];
  const message = `managed-db.io/external-id ${wanted} has no effect: this object has ${id}; to take over the other, create another object`;
  return [{ event: { type: 'Warning', reason: 'AdoptionFailed', message, isLasting: true } }];
}

/** Reports the differences that the first change after an adoption begins to remove: a user may not expect them. */
export function differsFromAdopted<S extends Situation>({
  situation: { object, record, noun, pendingChanges },
  step,
  outcome,
}: Visit<S>): readonly Report[] {
  const isFirst = object.status?.id !== record.id || hasReason(object, 'Adopting');
  const isChange = step.type === 'call' && step.action.type === 'change';
  if (record.outcome !== 'adopted' || !isFirst || !isChange || outcome.type !== 'done') return [];
  const differences = pendingChanges.flatMap(({ name, from, wanted }) =>
    from === undefined || wanted === undefined ? [] : [`${name} ${from} -> ${wanted}`],
  );
  const message = printable(
    `the adopted ${noun} differs from the spec, and the operator changes it: ${listed(differences)}`,
  );
  return [{ event: { type: 'Warning', reason: step.reason, message } }];
}

/** Reports that another object created a resource of the same name before: the cloud allows that, but it confuses people. */
export function sharedName<S extends Situation>({
  situation: { object, sameNames, noun },
  step,
  outcome,
}: Visit<S>): readonly Report[] {
  if (
    step.type !== 'call' ||
    step.action.type !== 'create' ||
    outcome.type !== 'done' ||
    sameNames.state !== 'read'
  )
    return [];
  const others = sameNames.ids.filter((id) => !sameNames.unclaimed.includes(id));
  if (others.length === 0) return [];
  const message = printable(
    `another object has a ${noun} named "${object.spec.name}" in this project, too: ${others.join(', ')}`,
  );
  return [{ event: { type: 'Warning', reason: 'SameNameExists', message } }];
}

/** Reports drift when it is first seen: the field, its old and new value, and the consequence. The memory prevents a repetition. */
export function driftEvents<S extends Situation>(
  visit: ReportedVisit<S>,
):
  | { readonly reports: readonly Report[]; readonly memory: Pick<Remembered, 'asWanted'> }
  | undefined {
  const { kind, situation, reported, outcome, memory } = visit;
  const { cloud, isAtRest, lastOperation } = situation;
  const reason = reasonOf(reported);
  // Values on the way are no drift, and a list that lags may show them. After a conflict, a read of the
  // resource alone may have shown other values.
  if (cloud.state !== 'present' || !isAtRest || reason === undefined || outcome.type === 'conflict')
    return undefined;
  if (lastOperation && reported.type !== 'done') return undefined;
  // A visit in which all is as wanted ends the last change: its effect is no drift.
  const before = lastOperation ? undefined : memory.asWanted;
  if (!before && !isAsWanted(reported, situation)) return undefined;
  const after = kind.driftFields(situation);
  const changed = Object.keys(after).filter(
    (field) => before?.[field] !== undefined && !isDeepStrictEqual(before[field], after[field]),
  );
  const reports = changed.map((field): Report => {
    const [from, to] = [text(before?.[field]), text(after[field])];
    const message = printable(
      `${field} was changed elsewhere from ${from} to ${to}; ${consequenceFor(field, situation)}`,
    );
    return {
      log: { level: 'info', fields: { field, from, to }, message: 'changed elsewhere' },
      event: { type: 'Warning', reason, message },
    };
  });
  // A change that the operator began, or may have begun, is a possible cause of later differences.
  const isUnclear =
    outcome.type === 'failed' && outcome.change !== undefined && !outcome.error.changedNothing;
  const hasBegun = isUnclear || (outcome.type === 'done' && outcome.accepted !== undefined);
  return { reports, memory: { asWanted: hasBegun ? undefined : after } };
}

const nounOf = { Window: 'a change window', Approval: 'an approval' } as const;

function consequenceFor(field: string, situation: Situation): string {
  const { object, options, pendingChanges } = situation;
  const { spec, metadata } = object;
  const change = pendingChanges.find(({ path }) => path === field);
  if (!change) return 'the spec does not name it: it stays';
  if (metadata.deletionTimestamp) return 'it stays: this object is being deleted';
  if (spec.suspend === true) return 'it stays while spec.suspend is true';
  if (isObserved(object, options)) return 'it is only observed: it stays';
  const held = gateOf(change, situation);
  if (held) return `its correction waits for ${nounOf[held.waitsFor]}`;
  return 'message' in change.step ? change.step.message : change.name;
}

/**
 * Whether all is as wanted, with no change of the operator under way: later differences are drift. A suspended
 * object that differs may have sent a change without an answer.
 */
function isAsWanted(step: Step, { object }: Situation): boolean {
  return (
    step.type === 'done' ||
    (step.type === 'suspended' && step.differs === undefined && !object.status?.lastOperation)
  );
}
