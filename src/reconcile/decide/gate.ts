import type { ChangeRules, RuleLevel } from '../../resources/change-rules.ts';
import { isOpen, nextChange } from '../../resources/weekly-window.ts';
import type { CloudChange, ChangeOperation } from '../step/step.ts';
import { cutToFit } from '../step/short-message.ts';
import { printable } from '../../logging/printable.ts';
import type { Rule } from './rule.ts';
import type { PendingChange, Situation } from '../situation/situation.ts';

/** The part of a situation that the gate reads. `rules` is undefined for most objects. */
export type GateSituation = Pick<Situation, 'rules' | 'wallTime' | 'pendingChanges'>;

/** The reason why a change is held. */
export interface Hold {
  readonly operation: ChangeOperation;
  /** The change in words, such as `1000m/4GB -> 2000m/8GB`. */
  readonly change: string;
  readonly waitsFor: 'Window' | 'Approval';
  /** Wall time of the next instant at which all levels are open. Undefined if there is none soon. */
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

/** Windows that do not open together for so long count as windows that never do. */
const horizonMs = 15 * 86_400_000;

/**
 * Whether the rules of the object and of its Namespace hold a change now. Pure. A change that the cloud has accepted,
 * or that it refused a moment ago, is not held: nothing is sent.
 * @returns undefined if the change may be sent
 */
export function gateOf(change: PendingChange, situation: GateSituation): Hold | undefined {
  const { rules, wallTime } = situation;
  if (rules === undefined) return undefined;
  const asked = requestIn(change);
  if (!asked || !isGoverned[asked.operation]) return undefined;
  const until = rules.problem === undefined ? nextOpening(rules.levels, wallTime) : undefined;
  const isShut = until === undefined || until > wallTime;
  if (!isShut && rules.approval === undefined) return undefined;
  return {
    operation: asked.operation,
    change: printable(`${change.from ?? ''} -> ${change.wanted ?? ''}`),
    waitsFor: rules.approval === undefined ? 'Window' : 'Approval',
    until: isShut ? until : undefined,
  };
}

/** The changes that the gate holds now, also those that the state of the resource postpones. */
export function heldChanges(situation: GateSituation): readonly Hold[] {
  if (situation.rules === undefined) return [];
  return situation.pendingChanges.flatMap((change) => gateOf(change, situation) ?? []);
}

function requestIn({ step }: PendingChange): CloudChange | undefined {
  return step.type === 'call' && step.action.type === 'change' ? step.action.change : undefined;
}

/**
 * The first instant, from `at` on, at which each level has an open window.
 * @returns undefined if there is none within 15 days
 */
export function nextOpening(levels: readonly RuleLevel[], at: number): number | undefined {
  for (let instant = at; instant <= at + horizonMs;) {
    const openings = levels.map((level) => opening(level, instant));
    const latest = Math.max(instant, ...openings);
    if (latest === instant) return instant;
    instant = latest;
  }
  return undefined;
}

function opening({ windows }: RuleLevel, at: number): number {
  if (windows.some((window) => isOpen(window, at))) return at;
  return Math.min(...windows.map((window) => nextChange(window, at)));
}

/** Reports the changes that only a window or an approval delays. The resource is used meanwhile. */
export const reportHeldChanges: Rule<GateSituation> = (situation) => {
  const { rules, wallTime, pendingChanges } = situation;
  const possible = pendingChanges.filter(({ isPostponed }) => isPostponed !== true);
  const held = heldChanges({ ...situation, pendingChanges: possible });
  const [first] = held;
  if (first === undefined || rules === undefined) return undefined;
  const waits = held.find(({ waitsFor }) => waitsFor === 'Approval') ?? first;
  const why = whyHeld(waits, rules);
  const changes = held.map(({ operation, change }) => `${operation} ${change}`).join(', ');
  const { until } = first;
  return {
    type: 'held',
    reason: waits.waitsFor === 'Window' ? 'WaitingForWindow' : 'WaitingForApproval',
    message: cutToFit(changes, why) + why,
    ...(until !== undefined && { opensInMs: until - wallTime }),
  };
};

function whyHeld({ waitsFor, until }: Hold, { problem, levels }: ChangeRules): string {
  if (problem !== undefined) return ` waits: ${problem}`;
  if (waitsFor === 'Approval')
    return ` waits for a person's approval, which the Namespace requires`;
  if (until !== undefined) return ` waits for the change window that opens at ${timeText(until)}`;
  const sources = levels.map(({ source }) => placeOf[source]).join(' and ');
  return ` waits: no change window opens within 15 days; widen the windows in ${sources}`;
}

const placeOf: Readonly<Record<RuleLevel['source'], string>> = {
  'spec.changeWindows': 'spec.changeWindows',
  namespace: 'the Namespace',
};

/** Such as `2026-11-28 01:00 UTC`. */
function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
