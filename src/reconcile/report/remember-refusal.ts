import type { CloudError } from '../../cloud/cloud-error.ts';
import { keyOf } from '../../runtime/index.ts';
import type { Context } from '../process/context.ts';
import { listLagMs } from '../observe/not-before.ts';
import { acceptedAt } from './report.ts';
import { lookAgain } from '../step/intervals.ts';
import { retryDelayMs } from './next-visit.ts';
import type { Situation } from '../situation/situation.ts';
import type { Step } from '../step/step.ts';
import type { Visit } from './visit.ts';
import { refusalKey } from '../step/refusal.ts';

/**
 * A change that was refused is not asked for at every look: only a person, or time, can make it possible. The same goes for one that was tried in a
 * state that should allow none, and for one whose answer did not tell whether it was carried out. Meanwhile the other changes have their turn.
 * @returns whether there is something new to remember that the next visit tells
 */
export function rememberRefusal<S extends Situation>({ kind, situation, step, outcome }: Visit<S>, context: Context): boolean {
  const { object, now, cloud } = situation;
  const memory = context.memory.of(object.kind, keyOf(object));
  const { refusals } = memory;
  const generation = object.metadata.generation;
  for (const [key, refusal] of refusals) if (refusal.generation !== generation) refusals.delete(key);
  if (step.type === 'done') delete memory.accepted;
  if (cloud.state === 'present' && cloud.asOf >= (memory.unclearAt ?? Infinity)) delete memory.unclearAt; // looked into
  if (outcome.type === 'done' && outcome.accepted) {
    memory.accepted = acceptedAt(outcome.accepted, now);
    refusals.delete(refusalKey(outcome.accepted.operation, outcome.accepted.wanted));
  }
  if ((outcome.type !== 'failed' && outcome.type !== 'stalled' && outcome.type !== 'hindered') || step.type === 'keep') return false;
  const error = outcome.type === 'failed' ? outcome.error : undefined;
  const answeredAt = context.clock.now();
  const isUnclear = error?.changedNothing === false;
  if (isUnclear || error?.kind === 'conflict') memory.unclearAt = answeredAt;
  if (!outcome.change) return false;
  const key = refusalKey(outcome.change.operation, outcome.change.wanted);
  const times = (refusals.get(key)?.times ?? 0) + 1;
  const backOffMs = retryDelayMs(times, context.random());
  const afterMs = outcome.type === 'hindered' ? backOffMs : refusedForMs(error, step, kind.isAtRest(situation), backOffMs);
  if (afterMs === undefined) return false;
  refusals.set(key, { generation, again: answeredAt + afterMs, times, step, ...(isUnclear ? { unclearAt: answeredAt } : {}) });
  return !isUnclear;
}

/** How long a change rests that did not go well; undefined when that says nothing of the change itself. */
function refusedForMs(error: CloudError | undefined, step: Step, isAtRest: boolean, backOffMs: number): number | undefined {
  if (step.type === 'stall') return step.retryAfterMs ?? lookAgain.nowAndThenMs;
  if (!isAtRest) return lookAgain.nowAndThenMs;
  if (error?.changedNothing === false) return Math.max(backOffMs, listLagMs);
  return error?.kind === 'conflict' || error?.kind === 'notFound' ? backOffMs : undefined;
}
