import { intervals } from '../step/intervals.ts';
import { stall, wait, type Step } from '../step/step.ts';
import type { Reference } from '../situation/observed-resource.ts';

/** The step while a reference in the spec cannot be used; undefined if there is none, or it is found. */
export function awaitReference(reference: Reference<string>): Step | undefined {
  if (reference.state === 'refused') return stall('NotAllowed', reference.message);
  if (reference.state !== 'waiting') return undefined;
  return wait('WaitingForReference', reference.message, { afterMs: intervals.forReferenceMs });
}
