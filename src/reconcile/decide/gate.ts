import type { ChangeRules, RuleLevel } from '../../resources/change-rules.ts';
import { isOpen, nextChange, utcText } from '../../resources/weekly-window.ts';
import { hoursLevel } from '../../resources/running-hours.ts';
import { annotationKey, approvalNow, approvalPrefix } from '../../resources/annotations.ts';
import { typeOf, type ManagedObject } from '../../resources/managed-object.ts';
import { ownStatus } from '../situation/history.ts';
import { refusalKey } from '../step/outcome.ts';
import type { CloudChange, ChangeOperation } from '../step/step.ts';
import { listedToFit } from '../step/short-message.ts';
import { isReason } from '../../resources/condition.ts';
import { printable } from '../../logging/printable.ts';
import type { Rule } from './rule.ts';
import type { PendingChange, Situation } from '../situation/situation.ts';

/** The part of a situation that the gate reads. `rules` is undefined for most objects. */
export type GateSituation = Pick<
  Situation,
  'rules' | 'wallTime' | 'pendingChanges' | 'object' | 'record' | 'refusals'
>;

/** The reason why a change is held. */
export interface Hold {
  readonly operation: ChangeOperation;
  /** The change in words, such as `1000m/4GB -> 2000m/8GB`. */
  readonly change: string;
  readonly waitsFor: 'Window' | 'Approval';
  /** Whether the change must wait for a window, too, if it waits for an approval. */
  readonly isShut: boolean;
}

/** A held change, as reports show it. */
export interface HeldChange extends Hold {
  /** Wall time of the next instant at which the change may start. Undefined if no window delays it, or none opens soon. */
  readonly until: number | undefined;
}

/** A change may interrupt connections or change an endpoint. The gate holds no other change. */
const isGoverned: Readonly<Record<ChangeOperation, boolean>> = {
  resizeService: true,
  resizeReplicaSet: true,
  setServiceHighAvailability: true,
  detachServiceFromVpc: true,
  disableServicePooler: true,
  disableReplicaSetPooler: true,
  // An attach happens only where the cloud shows no VPC: apps may wait for it.
  attachServiceToVpc: false,
  enableServicePooler: false,
  enableReplicaSetPooler: false,
  setServiceEnvironment: false,
  setReplicaSetEnvironment: false,
  startService: false,
  stopService: false,
  renameVpc: false,
};

/** The operations that the rules of users hold. */
export const governedOperations: readonly string[] = Object.entries(isGoverned).flatMap(
  ([operation, governed]) => (governed ? [operation] : []),
);

/** Whether the operator asks the rules of users before it sends this operation. */
export function isGovernedOperation(operation: ChangeOperation): boolean {
  return isGoverned[operation];
}

/**
 * Whether a change that the rules of users can hold is left to attempt. A change that the cloud refused, or accepted
 * without effect, was attempted: a later attempt is another change. Pure.
 */
export function isGovernedLeft(
  situation: Pick<Situation, 'pendingChanges' | 'object' | 'refusals'>,
): boolean {
  return situation.pendingChanges.some(({ operation, wanted, step }) => {
    if (operation === undefined || !isGoverned[operation]) return false;
    const isWithoutEffect = step.type === 'stall' && isReason(step.reason, 'NotApplied');
    return !isWithoutEffect && !wasRefused(operation, wanted, situation);
  });
}

/**
 * Whether the cloud refused this change of the present spec, also if its next attempt is due. Only the process knows it: after a
 * restart or `managed-db sync`, a service that is still new repeats a refused first change. The repetition duplicates nothing,
 * since each change sets a value of the first spec.
 */
function wasRefused(
  operation: ChangeOperation,
  wanted = '',
  { object, refusals }: Pick<Situation, 'object' | 'refusals'>,
): boolean {
  const refusal = refusals.get(refusalKey(operation, wanted));
  return refusal?.isUnclear === false && refusal.generation === object.metadata.generation;
}

/** Windows that do not open together for so long count as windows that never do. */
const horizonMs = 15 * 86_400_000;

/**
 * Whether the rules of the object and of its Namespace hold a change now. Pure. A change that the cloud has accepted,
 * or that it refused a moment ago, is not held: nothing is sent. A change of a new resource is not held at its first
 * attempt: the request that creates the resource may need further calls.
 * @returns undefined if the change may be sent
 */
export function gateOf(change: PendingChange, situation: GateSituation): Hold | undefined {
  const { rules, wallTime } = situation;
  if (rules === undefined) return undefined;
  const asked = requestIn(change);
  if (!asked || !isGoverned[asked.operation]) return undefined;
  const { operation } = asked;
  if (isNew(situation) && !wasRefused(operation, change.wanted, situation)) return undefined;
  const text = inWords(change.from, change.wanted);
  const approval = approvalOf(situation.object, operation, text);
  const isOpenNow =
    approval === 'now' || rules.levels.every((level) => opening(level, wallTime) === wallTime);
  const isShut = rules.problem !== undefined || !isOpenNow;
  const isUnapproved = rules.approval !== undefined && approval === 'none';
  if (!isShut && !isUnapproved) return undefined;
  return {
    operation,
    change: text,
    // An approval changes nothing until a person has corrected the rule.
    waitsFor: isUnapproved && rules.problem === undefined ? 'Approval' : 'Window',
    isShut,
  };
}

/** A change as `status.heldChanges` and its approval show it. */
function inWords(from = '', wanted = ''): string {
  return printable(`${from} -> ${wanted}`);
}

/** Whether this object created its resource. Only then may the resource be new. Pure. */
export function isOwnCreation({ outcome, isRestored }: Situation['record']): boolean {
  return outcome === 'created' && isRestored !== true;
}

/** Whether the operator created the resource, and has not attempted its whole first spec. A later spec is a change. */
function isNew(situation: GateSituation): boolean {
  const status = ownStatus(situation);
  if (status === undefined || !('newGeneration' in status)) return false;
  if (!isOwnCreation(situation.record)) return false;
  const { newGeneration, wasReady } = status;
  if (newGeneration === undefined) return false;
  return wasReady !== true || newGeneration === situation.object.metadata.generation;
}

/** `now`: a person has approved the change also outside of the windows. */
function approvalOf(
  { metadata }: ManagedObject,
  operation: string,
  change: string,
): 'none' | 'inWindows' | 'now' {
  const text = metadata.annotations?.[approvalPrefix + operation];
  if (text === change) return 'inWindows';
  return text === change + approvalNow ? 'now' : 'none';
}

/**
 * The names of the annotations with a used approval: the cloud accepted the approved change, or an answer was lost and the
 * cloud shows the change. Each approval counts for a single request. An approval that stands again after its removal
 * stays: a GitOps tool writes it after each removal. Pure.
 */
export function usedApprovals({
  object,
  lastOperation: last,
  refusals,
  removedAnnotations,
  pendingChanges,
}: Pick<
  Situation,
  'object' | 'lastOperation' | 'refusals' | 'removedAnnotations' | 'pendingChanges'
>): readonly string[] {
  return Object.entries(object.metadata.annotations ?? {}).flatMap(([name, text]) => {
    if (!name.startsWith(approvalPrefix)) return [];
    const operation = name.slice(approvalPrefix.length);
    if (removedAnnotations?.has(annotationKey(name, text)) === true) return [];
    const change = text.endsWith(approvalNow) ? text.slice(0, -approvalNow.length) : text;
    const asksAgain = pendingChanges.some(
      (pending) =>
        requestIn(pending)?.operation === operation &&
        inWords(pending.from, pending.wanted) === change,
    );
    const isAccepted =
      !asksAgain && last?.operation === operation && inWords(last.from, last.wanted) === change;
    const wanted = change.split(' -> ').at(-1) ?? '';
    const refusal = refusals.get(refusalKey(operation, wanted));
    // A refused change did not use its approval, also if the cloud had accepted the same change before.
    if (refusal?.isUnclear === false) return [];
    const isShown =
      refusal !== undefined && pendingChanges.every((pending) => pending.operation !== operation);
    return isAccepted || isShown ? [name] : [];
  });
}

/** The removed annotations without the approvals of this operation, which another request may use. Undefined if none is left. Pure. */
export function withoutApprovalsOf(
  operation: string,
  removed: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  const left = [...(removed ?? [])].filter(
    (key) => !key.startsWith(annotationKey(approvalPrefix + operation, '')),
  );
  return left.length === 0 ? undefined : new Set(left);
}

/** The changes that the gate holds now, also those that the state of the resource postpones. */
export function heldChanges(situation: GateSituation): readonly HeldChange[] {
  const { rules } = situation;
  if (rules === undefined) return [];
  const held = situation.pendingChanges.flatMap((change) => gateOf(change, situation) ?? []);
  const isWindowAwaited = rules.problem === undefined && held.some(({ isShut }) => isShut);
  const until = isWindowAwaited
    ? nextOpening(levelsOf(rules, situation), situation.wallTime)
    : undefined;
  return held.map((hold) => ({ ...hold, until: hold.isShut ? until : undefined }));
}

/** A level without its source: the running hours are no rule of users. Until `openUntil`, it is open without a window. */
interface Windows extends Pick<RuleLevel, 'windows'> {
  readonly openUntil?: number;
}

/** The windows, and the running hours: a stopped service is not changed. */
function levelsOf(
  { levels }: ChangeRules,
  { object }: Pick<GateSituation, 'object'>,
): readonly Windows[] {
  const hours = object.kind === 'ManagedService' ? hoursLevel(object) : undefined;
  return hours === undefined ? levels : [...levels, hours];
}

function requestIn({ step }: PendingChange): CloudChange | undefined {
  return step.type === 'call' && step.action.type === 'change' ? step.action.change : undefined;
}

/**
 * The first instant, from `at` on, at which each level has an open window.
 * @returns undefined if there is none within 15 days
 */
export function nextOpening(levels: readonly Windows[], at: number): number | undefined {
  for (let instant = at; instant <= at + horizonMs;) {
    const openings = levels.map((level) => opening(level, instant));
    const latest = Math.max(instant, ...openings);
    if (latest === instant) return instant;
    instant = latest;
  }
  return undefined;
}

function opening({ windows, openUntil = -Infinity }: Windows, at: number): number {
  if (openUntil > at || windows.some((window) => isOpen(window, at))) return at;
  return Math.min(...windows.map((window) => nextChange(window, at)));
}

/** Milliseconds from this opening until the first level has no open window any more. */
function openForMs(levels: readonly Windows[], at: number): number {
  const ends = levels.map(({ windows, openUntil = -Infinity }) =>
    Math.max(
      openUntil,
      ...windows.filter((each) => isOpen(each, at)).map((each) => nextChange(each, at)),
    ),
  );
  return Math.min(...ends) - at;
}

/** Reports the changes that only a window or an approval delays. The resource is used meanwhile. */
export const reportHeldChanges: Rule<GateSituation> = (situation) => {
  const { rules, wallTime, pendingChanges } = situation;
  const possible = pendingChanges.filter(({ isPostponed }) => isPostponed !== true);
  const held = heldChanges({ ...situation, pendingChanges: possible });
  const [first] = held;
  if (first === undefined || rules === undefined) return undefined;
  const waits = held.find(({ waitsFor }) => waitsFor === 'Approval') ?? first;
  const why = whyHeld(waits, rules, situation);
  const changes = held.map(({ operation, change }) => `${operation} ${change}`);
  const { until } = first;
  return {
    type: 'held',
    reason: waits.waitsFor === 'Window' ? 'WaitingForWindow' : 'WaitingForApproval',
    message: listedToFit(changes, why) + why,
    ...(until !== undefined && {
      opensInMs: until - wallTime,
      opensForMs: openForMs(levelsOf(rules, situation), until),
    }),
  };
};

/**
 * The reason why the changes of a stopped service do not follow when it runs again: a person must act first. Undefined if
 * they follow. Pure.
 */
export function whyHeldWhileStopped(situation: GateSituation): string | undefined {
  const { rules } = situation;
  const held = heldChanges(situation).find(
    ({ waitsFor, until }) => waitsFor === 'Approval' || until === undefined,
  );
  return rules && held && whyHeld(held, rules, situation);
}

function whyHeld(
  { operation, waitsFor, until }: HeldChange,
  { problem, levels }: ChangeRules,
  { object, wallTime }: Pick<GateSituation, 'object' | 'wallTime'>,
): string {
  if (problem !== undefined) return ` waits: ${problem}`;
  if (waitsFor === 'Approval') {
    const isOther = object.metadata.annotations?.[approvalPrefix + operation] !== undefined;
    const other = isOther ? ' (its annotation approves another change)' : '';
    return ` waits for an approval${other}: ${approveCommand(object)}`;
  }
  if (until !== undefined) return ` waits for the change window that opens at ${utcText(until)}`;
  const sources = levels.map(({ source }) => placeOf[source]).join(' and ');
  return nextOpening(levels, wallTime) === undefined
    ? ` waits: no change window opens within 15 days; widen the windows in ${sources}`
    : ` waits: no change window opens while the service runs; widen spec.runningHours, or the windows in ${sources}`;
}

/** The command that approves the held changes of an object. */
export function approveCommand(object: ManagedObject): string {
  const { name, namespace } = object.metadata;
  return `managed-db approve ${typeOf(object).described.shortName}/${name} -n ${namespace}`;
}

const placeOf: Readonly<Record<RuleLevel['source'], string>> = {
  'spec.changeWindows': 'spec.changeWindows',
  namespace: 'the Namespace',
};
