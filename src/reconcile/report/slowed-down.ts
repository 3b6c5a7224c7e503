import { hash } from 'node:crypto';
import { referenceOf } from '../../runtime/index.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { Context } from '../process/context.ts';
import type { Situation } from '../situation/situation.ts';
import { cutToFit } from '../step/short-message.ts';
import { wait, type Step } from '../step/step.ts';
import type { Outcome } from '../step/outcome.ts';

/** Delays a step that is repeated without a lasting effect, longer each time, and reports so. */
export function slowedDown(step: Step, situation: Situation, { loops }: Context): Step {
  if (!changesSomething(step)) return step;
  const waitMs = loops.waitMs(...loopKeyOf(step, situation));
  if (waitMs === 0) return step;
  const problem = 'another program keeps reverting this: ';
  const advice = '; look for a webhook, policy or controller that does';
  const message = `${problem}${cutToFit(step.message, problem + advice)}${advice}`;
  return wait('NotConverging', message, { afterMs: waitMs });
}

/** Counts a step for the loop guard. A failed or outdated step does not count, since it has an own back-off. */
export function countAsDone(step: Step, outcome: Outcome, situation: Situation, { loops }: Pick<Context, 'loops'>): void {
  const isDone = outcome.type === 'done' || outcome.type === 'nothing';
  if (isDone && changesSomething(step)) loops.record(...loopKeyOf(step, situation));
}

type Change = Extract<Step, { type: 'call' | 'write' | 'release' }>;

function changesSomething(step: Step): step is Change {
  return step.type === 'call' || step.type === 'write' || step.type === 'release';
}

type LoopKey = [key: string, action: string, situation: string, now: number];

function loopKeyOf({ message }: Change, { object, now }: Situation): LoopKey {
  const { uid, generation } = object.metadata;
  return [referenceOf(object), message, `${uid} ${generation}`, now];
}

export function statusLoop(object: string): string {
  return `${object} status`;
}

/** Each other status is a new situation. */
export function statusLoopOf({ object, now }: Situation, status: object): LoopKey {
  const text = JSON.stringify(status, (name, value: unknown) => (times.has(name) ? undefined : value));
  return [statusLoop(referenceOf(object)), 'status', hash('sha1', `${object.metadata.uid} ${text}`), now];
}

/** Fields that differ though nothing else does. */
const times: ReadonlySet<string> = new Set(['at', 'lastTransitionTime', 'stateSince']);

/**
 * Milliseconds until this status may be written; 0: now. If the same status is written again and again, another
 * client undoes it. The object cannot report that, so an event and the log do.
 */
export function statusUndoneForMs(
  loop: LoopKey,
  object: ManagedObject,
  { loops, events, log }: Pick<Context, 'loops' | 'events' | 'log'>,
): number {
  const waitMs = loops.waitMs(...loop);
  if (waitMs === 0) return 0;
  const message =
    'another program keeps reverting the status: look for a webhook, a policy, a controller or an older CustomResourceDefinition';
  log.warn({ object: referenceOf(object), reason: 'NotConverging' }, message);
  events.record(object, { type: 'Warning', reason: 'NotConverging', message });
  return waitMs;
}
