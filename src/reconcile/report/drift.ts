import { isDeepStrictEqual } from 'node:util';
import { text } from '../decide/differs.ts';
import type { KindReconciler } from '../kinds/kind.ts';
import type { Outcome } from '../step/outcome.ts';
import type { Situation } from '../situation/situation.ts';
import type { Step } from '../step/step.ts';
import { readyOf } from '../../resources/condition.ts';

/** A value that somebody changed elsewhere. */
export interface Drift {
  readonly field: string;
  readonly from: string;
  readonly to: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** What changed in the cloud since all was as wanted. Pure. */
export function driftOf(before: Fields, after: Fields): readonly Drift[] {
  return Object.keys(after)
    .filter((field) => before[field] !== undefined && !isDeepStrictEqual(before[field], after[field]))
    .map((field) => ({ field, from: text(before[field]), to: text(after[field]) }));
}

/**
 * What the cloud showed when nothing was left to do, as the last status has it: undefined unless that was Ready and nothing of ours was under way.
 * For the first look of a process; later ones remember.
 */
export function lastAsWanted<S extends Situation>(kind: KindReconciler<S>, situation: S): Fields | undefined {
  const { object } = situation;
  const { status } = object;
  const ready = readyOf(object);
  const wasAsWanted = ready?.status === 'True' && ready.observedGeneration === object.metadata.generation && !status?.lastOperation;
  return status && wasAsWanted ? kind.driftFields(status) : undefined;
}

/** Whether something of ours was, or may have been, begun: what changes from here on may be our own doing. */
export function mayBeOurs(outcome: Outcome): boolean {
  if (outcome.type === 'done') return outcome.accepted !== undefined;
  return outcome.type === 'failed' && outcome.change !== undefined && !outcome.error.changedNothing;
}

/** Whether nothing is left to do, and nothing of ours is under way: from here on, what changes is somebody else's doing. */
export function isAsWanted(step: Step, { object }: Situation): boolean {
  return step.type === 'done' || (step.type === 'suspended' && !object.status?.lastOperation);
}
