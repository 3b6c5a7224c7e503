import { isDeepStrictEqual } from 'node:util';
import { text } from './differs.ts';
import type { KindReconciler } from './kind.ts';
import type { Situation } from './situation.ts';

/** A value that somebody changed elsewhere. */
export interface Drift {
  readonly field: string;
  readonly from: string;
  readonly to: string;
}

/**
 * What changed in the cloud since the last status, while this object was as wanted and nothing of ours was under way: somebody else did that. Pure.
 */
export function driftOf<S extends Situation>(kind: KindReconciler<S>, situation: S): readonly Drift[] {
  const { object, cloud } = situation;
  const { status } = object;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const wasAsWanted = ready?.status === 'True' && ready.observedGeneration === object.metadata.generation && !status?.lastOperation;
  if (!status || !wasAsWanted || cloud.state !== 'present') return [];
  const before = kind.driftFields(situation, status);
  const after = kind.driftFields(situation, kind.mirror(situation));
  return Object.keys(after)
    .filter((field) => before[field] !== undefined && !isDeepStrictEqual(before[field], after[field]))
    .map((field) => ({ field, from: text(before[field]), to: text(after[field]) }));
}
