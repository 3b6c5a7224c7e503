import type { Requeue } from '../runtime/controller.ts';
import { keyOf } from '../runtime/kubernetes-object.ts';
import type { Context } from './context.ts';
import type { KindReconciler } from './kind.ts';
import type { Outcome } from './outcome.ts';
import type { Situation } from './situation.ts';
import type { Step } from './step.ts';

const firstRetryMs = 1_000;
const longestRetryMs = 300_000;
export const resyncMs = 600_000;

/** 1 s, doubling to 5 min, by up to a quarter more. */
export function retryDelayMs(failures: number, random: number): number {
  return Math.min(firstRetryMs * 2 ** Math.min(failures, 20), longestRetryMs) * (1 + random / 4);
}

/**
 * When to look again. What goes on in the cloud or around the object wakes it earlier.
 * @param isNews a refusal was remembered just now
 */
export function nextVisit<S extends Situation>(
  kind: KindReconciler<S>,
  situation: S,
  step: Step,
  outcome: Outcome,
  isNews: boolean,
  context: Context,
): Requeue {
  const { object, identity } = situation;
  const memory = context.memory.of(object.kind, keyOf(object));
  const hasFailed = outcome.type === 'failed' || outcome.type === 'overtaken';
  const backOffMs = retryDelayMs(memory.failures, context.random());
  memory.failures = hasFailed ? memory.failures + 1 : 0;
  const list = kind.progressListOf?.(situation) ?? kind.listOf(situation);
  if (list && identity.state === 'known') {
    if (step.type === 'wait' && step.inProgressSince !== undefined) list.expectProgress(identity.id, step.inProgressSince);
    else if (step.type === 'done' || step.type === 'stall' || step.type === 'release') list.settled(identity.id);
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
