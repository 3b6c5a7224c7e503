import type { Requeue } from '../runtime/controller.ts';
import { keyOf } from '../runtime/kubernetes-object.ts';
import type { Context } from './context.ts';
import type { KindReconciler } from './kind.ts';
import { refusalKey, type ObjectMemory } from './memory.ts';
import type { CloudError } from '../cloud/cloud-error.ts';
import type { Outcome } from './outcome.ts';
import type { Situation } from './situation.ts';
import type { Step } from './step.ts';

const firstRetryMs = 1_000;
const longestRetryMs = 300_000;
const resyncMs = 600_000;

/** 1 s, doubling to 5 min, by up to a quarter more. */
export function retryDelayMs(failures: number, random: number): number {
  return Math.min(firstRetryMs * 2 ** Math.min(failures, 20), longestRetryMs) * (1 + random / 4);
}

/** When to look again. What goes on in the cloud or around the object wakes it earlier. */
export function nextVisit<S extends Situation>(
  kind: KindReconciler<S>,
  situation: S,
  step: Step,
  outcome: Outcome,
  context: Context,
): Requeue {
  const { object, identity } = situation;
  const memory = context.memory.of(object.kind, keyOf(object));
  const hasFailed = outcome.type === 'failed' || outcome.type === 'overtaken';
  const backOffMs = retryDelayMs(memory.failures, context.random());
  memory.failures = hasFailed ? memory.failures + 1 : 0;
  const isNews = rememberRefusal(kind, situation, step, outcome, { memory, random: context.random() });
  const list = kind.progressListOf?.(situation) ?? kind.listOf(situation);
  if (list && identity.state === 'known') {
    if (step.type === 'wait' && step.inProgressSince !== undefined) list.expectProgress(identity.id, step.inProgressSince);
    else if (step.type === 'done' || step.type === 'stall') list.settled(identity.id);
  }
  if (outcome.type === 'overtaken') return { afterMs: backOffMs };
  // Another change may be possible meanwhile.
  if (outcome.type === 'done' || isNews) return { afterMs: 0 };
  switch (step.type) {
    case 'release':
      return 'forget';
    case 'keep':
      return { afterMs: step.afterMs };
    case 'wait':
      return { afterMs: step.afterMs ?? (hasFailed ? backOffMs : resyncMs) };
    case 'stall':
      return { afterMs: step.retryAfterMs ?? resyncMs, resync: true };
    case 'call':
    case 'write':
      return { afterMs: backOffMs };
    case 'done':
    case 'suspended':
      return { afterMs: resyncMs * (1 + context.random() / 4), resync: true };
  }
}

/**
 * A change that was refused is not asked for at every look: only a person, or time, can make it possible. The same goes for one that was tried in a
 * state that should allow none. Meanwhile the other changes have their turn.
 * @returns whether there is something new to remember
 */
function rememberRefusal<S extends Situation>(
  kind: KindReconciler<S>,
  situation: S,
  step: Step,
  outcome: Outcome,
  { memory: { refusals }, random }: { readonly memory: ObjectMemory; readonly random: number },
): boolean {
  const { object, now } = situation;
  const generation = object.metadata.generation;
  for (const [key, refusal] of refusals) if (refusal.generation !== generation) refusals.delete(key);
  if (outcome.type === 'done' && outcome.accepted) refusals.delete(refusalKey(outcome.accepted.operation, outcome.accepted.wanted));
  if (outcome.type !== 'failed' || !outcome.change) return false;
  const key = refusalKey(outcome.change.operation, outcome.change.wanted);
  const times = (refusals.get(key)?.times ?? 0) + 1;
  const afterMs = refusedForMs(outcome.error, step, kind.isAtRest(situation), retryDelayMs(times, random));
  if (afterMs === undefined) return false;
  refusals.set(key, { generation, again: now + afterMs, times, step });
  return true;
}

/** How long a change rests that did not go well; undefined when that says nothing of the change itself. */
function refusedForMs(error: CloudError, step: Step, isAtRest: boolean, backOffMs: number): number | undefined {
  if (step.type === 'stall') return step.retryAfterMs ?? resyncMs;
  if (!isAtRest) return resyncMs;
  return error.changedNothing && (error.kind === 'conflict' || error.kind === 'notFound') ? backOffMs : undefined;
}
