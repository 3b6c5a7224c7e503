import { orEmpty, type ObjectMemory } from '../process/memory.ts';
import type { Situation } from '../situation/situation.ts';
import { retryDelayMs } from '../step/intervals.ts';
import { acceptedAt } from '../step/outcome.ts';
import { refusalKey } from '../step/refusal.ts';
import { pauseAfter } from './refused.ts';
import { hasNothingToReport, isOver } from './status.ts';
import { hasFailed, type Visit } from './visit.ts';

/** The memory after a visit, except for times and events: carried out, accepted and refused changes, and failures. Pure. */
export function memoryAfter<S extends Situation>(visit: Visit<S>): ObjectMemory {
  const { situation, step, outcome, memory, endedAt } = visit;
  const { object, now, cloud } = situation;
  const accepted = outcome.type === 'done' ? outcome.accepted : undefined;
  const error = outcome.type === 'failed' && step.type !== 'keep' ? outcome.error : undefined;
  const isObservedSince = cloud.state === 'present' && cloud.asOf >= (memory.unclearAt ?? Infinity);
  return {
    ...memory,
    failingSince: undefined,
    failures: hasFailed(visit) ? memory.failures + 1 : 0,
    unreportedSince: hasNothingToReport(visit) ? memory.unreportedSince : isWork(visit) ? (memory.unreportedSince ?? now) : undefined,
    accepted: accepted ? acceptedAt(accepted, object, now) : isOver(situation, step) ? undefined : memory.accepted,
    unclearAt: error?.changedNothing === false || error?.kind === 'conflict' ? endedAt : isObservedSince ? undefined : memory.unclearAt,
    refusals: orEmpty(refusalsAfter(visit)),
  };
}

/** A deletion is recorded before it is requested. Any other accepted change is known only from status, so its status must be written. */
function isWork<S extends Situation>({ step, outcome }: Visit<S>): boolean {
  const isDeletion = step.type === 'call' && step.action.type === 'delete' && outcome.type === 'done';
  return isDeletion || (step.type === 'wait' && step.inProgressSince !== undefined);
}

/** The refused changes of this generation. */
function refusalsAfter<S extends Situation>(visit: Visit<S>): ObjectMemory['refusals'] {
  const { situation, step, outcome, memory, endedAt, random } = visit;
  const { generation } = situation.object.metadata;
  const refusals = new Map([...memory.refusals].filter(([, refusal]) => refusal.generation === generation));
  if (outcome.type === 'done' && outcome.accepted) refusals.delete(refusalKey(outcome.accepted.operation, outcome.accepted.wanted));
  if (!('change' in outcome) || !outcome.change) return refusals;
  const key = refusalKey(outcome.change.operation, outcome.change.wanted);
  const times = (refusals.get(key)?.times ?? 0) + 1;
  const pause = pauseAfter(visit, retryDelayMs(times, random));
  if (!pause) return refusals;
  return refusals.set(key, { generation, again: endedAt + pause.forMs, times, step });
}
