import { referenceOf } from '../../runtime/index.ts';
import type { Context } from '../process/context.ts';
import type { Situation } from '../situation/situation.ts';
import { wait, type Step } from '../step/step.ts';
import type { Visit } from './visit.ts';

/** Delays a step that is repeated without a lasting effect, longer each time, and reports so. */
export function slowedDown(step: Step, situation: Situation, { loops }: Context): Step {
  if (!changesSomething(step)) return step;
  const waitMs = loops.waitMs(...loopKeyOf(step, situation));
  if (waitMs === 0) return step;
  const message = `this is done again and again and does not last: ${step.message}; look for a webhook, a policy or another controller that undoes it; tried again by itself, less and less often`;
  return wait('NotConverging', message, { afterMs: waitMs });
}

/** Counts a step for the loop guard. A failed or outdated step does not count, since it has a back-off of its own. */
export function countAsDone<S extends Situation>({ step, outcome, situation }: Visit<S>, { loops }: Pick<Context, 'loops'>): void {
  const isDone = outcome.type === 'done' || outcome.type === 'nothing';
  if (isDone && changesSomething(step)) loops.record(...loopKeyOf(step, situation));
}

type Change = Extract<Step, { type: 'call' | 'write' | 'release' }>;

function changesSomething(step: Step): step is Change {
  return step.type === 'call' || step.type === 'write' || step.type === 'release';
}

function loopKeyOf({ message }: Change, { object, now }: Situation): [key: string, action: string, situation: string, now: number] {
  const { uid, generation } = object.metadata;
  return [referenceOf(object), message, `${uid} ${generation}`, now];
}
