import { keyOf } from '../runtime/kubernetes-object.ts';
import type { Context } from './context.ts';
import type { Situation } from './situation.ts';
import { wait, type Step } from './step.ts';

/** A step that is taken again and again to no end waits for a while, longer each time, and says so. */
export function slowedDown(step: Step, { object, now }: Situation, { loops, memory }: Context): Step {
  if (step.type !== 'call' && step.type !== 'write' && step.type !== 'release') return step;
  const { uid, generation } = object.metadata;
  // What failed has a pace of its own.
  const { failures } = memory.of(object.kind, keyOf(object));
  const { waitMs } = loops.ask(loopKey(object.kind, keyOf(object)), step.message, `${uid} ${generation} ${failures}`, now);
  if (waitMs === 0) return step;
  const message = `this is done again and again and does not last: ${step.message}; look for a webhook, a policy or another controller that undoes it; tried again by itself, less and less often`;
  return wait('NotConverging', message, { afterMs: waitMs });
}

export function loopKey(kind: string, key: string): string {
  return `${kind}/${key}`;
}
