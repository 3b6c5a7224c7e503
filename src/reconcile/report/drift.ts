import { isDeepStrictEqual } from 'node:util';
import { text } from '../decide/differs.ts';
import type { KindReconciler } from '../kinds/kind.ts';
import type { Accepted, Outcome } from '../step/outcome.ts';
import { ownStatus } from '../situation/recreation.ts';
import type { Situation } from '../situation/situation.ts';
import type { Step } from '../step/step.ts';
import { readyOf } from '../../resources/condition.ts';

/** A value that somebody changed in the cloud. */
export interface Drift {
  readonly field: string;
  readonly from: string;
  readonly to: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** The values that changed in the cloud since everything was as wanted. Pure. */
export function driftOf(before: Fields, after: Fields): readonly Drift[] {
  return Object.keys(after)
    .filter((field) => before[field] !== undefined && !isDeepStrictEqual(before[field], after[field]))
    .map((field) => ({ field, from: text(before[field]), to: text(after[field]) }));
}

/**
 * The values in the last status if the object was Ready, with no change of the operator under way; otherwise undefined. For the first visit of a process;
 * later visits have them in memory.
 */
export function lastAsWanted<S extends Situation>(kind: KindReconciler<S>, situation: S): Fields | undefined {
  const { object } = situation;
  const status = ownStatus(situation);
  const ready = readyOf(object);
  const wasAsWanted = ready?.status === 'True' && ready.observedGeneration === object.metadata.generation && !status?.lastOperation;
  return status && wasAsWanted ? kind.driftFields(status, 'status') : undefined;
}

/** The change of the operator that was, or may have been, begun. It may then be the cause of later differences. */
export function begunChange(outcome: Outcome): Accepted | undefined {
  if (outcome.type === 'done') return outcome.accepted;
  return outcome.type === 'failed' && !outcome.error.changedNothing ? outcome.change : undefined;
}

/** Whether everything is as wanted, and no change of the operator is under way. Later differences are then drift. */
export function isAsWanted(step: Step, { object }: Situation): boolean {
  return step.type === 'done' || (step.type === 'suspended' && !object.status?.lastOperation);
}
