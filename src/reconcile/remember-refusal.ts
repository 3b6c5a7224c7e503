import type { CloudError } from '../cloud/cloud-error.ts';
import { keyOf } from '../runtime/kubernetes-object.ts';
import type { Context } from './context.ts';
import type { KindReconciler } from './kind.ts';
import { refusalKey, type RefusedChange } from './memory.ts';
import { resyncMs, retryDelayMs } from './next-visit.ts';
import type { Outcome } from './outcome.ts';
import type { Situation } from './situation.ts';
import type { Step } from './step.ts';

/**
 * A change that was refused is not asked for at every look: only a person, or time, can make it possible. The same goes for one that was tried in a
 * state that should allow none. Meanwhile the other changes have their turn.
 * @returns whether there is something new to remember
 */
export function rememberRefusal<S extends Situation>(
  kind: KindReconciler<S>,
  situation: S,
  step: Step,
  outcome: Outcome,
  context: Context,
): boolean {
  const { object, now } = situation;
  const { refusals } = context.memory.of(object.kind, keyOf(object));
  const generation = object.metadata.generation;
  for (const [key, refusal] of refusals) if (refusal.generation !== generation) refusals.delete(key);
  if (outcome.type === 'done' && outcome.accepted) rememberNotApplied(kind, situation, refusals);
  if (outcome.type === 'done' && outcome.accepted) refusals.delete(refusalKey(outcome.accepted.operation, outcome.accepted.wanted));
  if ((outcome.type !== 'failed' && outcome.type !== 'stalled') || !outcome.change) return false;
  const key = refusalKey(outcome.change.operation, outcome.change.wanted);
  const times = (refusals.get(key)?.times ?? 0) + 1;
  const afterMs = refusedForMs(
    outcome.type === 'failed' ? outcome.error : undefined,
    step,
    kind.isAtRest(situation),
    retryDelayMs(times, context.random()),
  );
  if (afterMs === undefined) return false;
  refusals.set(key, { generation, again: now + afterMs, times, step });
  return true;
}

/** How long a change rests that did not go well; undefined when that says nothing of the change itself. */
function refusedForMs(error: CloudError | undefined, step: Step, isAtRest: boolean, backOffMs: number): number | undefined {
  if (step.type === 'stall') return step.retryAfterMs ?? resyncMs;
  if (!isAtRest) return resyncMs;
  return error?.changedNothing === true && (error.kind === 'conflict' || error.kind === 'notFound') ? backOffMs : undefined;
}

/** Status has room for one change: that an earlier one came to nothing is kept here while others have their turn. */
function rememberNotApplied<S extends Situation>(kind: KindReconciler<S>, situation: S, refusals: Map<string, RefusedChange>): void {
  for (const { step, operation, wanted } of kind.openWishes(situation)) {
    if (step.type !== 'stall' || step.reason !== 'NotApplied' || operation === undefined || wanted === undefined) continue;
    refusals.set(refusalKey(operation, wanted), { generation: situation.object.metadata.generation, again: Infinity, times: 1, step });
  }
}
