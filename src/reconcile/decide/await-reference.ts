import type { Reference } from '../situation/situation.ts';
import { stall, wait, type Step } from '../step/step.ts';
import { intervals } from '../step/intervals.ts';

export function awaitReference(reference: Reference<string>): Step | undefined {
  if (reference.state === 'refused') return stall('NotAllowed', reference.message);
  if (reference.state !== 'waiting') return undefined;
  return wait('WaitingForReference', reference.message, { afterMs: intervals.forReferenceMs });
}
