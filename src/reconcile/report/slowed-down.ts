import type { Outcome } from '../step/outcome.ts';
import { referenceOf } from '../../runtime/index.ts';
import type { Context } from '../wiring/context.ts';
import { wait, type Step } from '../step/step.ts';
import { cutToFit } from '../step/short-message.ts';
import type { Situation } from '../situation/situation.ts';

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
export function countAsDone(
  step: Step,
  outcome: Outcome,
  situation: Situation,
  { loops }: Pick<Context, 'loops'>,
): void {
  const { type } = outcome;
  const isDone = type === 'done' || type === 'nothing' || type === 'released';
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
