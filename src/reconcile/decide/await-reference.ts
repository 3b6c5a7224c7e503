import type { Reference } from '../situation/situation.ts';
import { askPerson, stall, wait, type Step } from '../step/step.ts';
import { intervals } from '../step/intervals.ts';

/**
 * The wait for a referenced resource, or the report of a refused reference. Undefined if the rules
 * may go on.
 */
export function awaitReference(reference: Reference<string>): Step | undefined {
  if (reference.state === 'refused') return stall('NotAllowed', reference.message);
  if (reference.state === 'blocked') return askPerson('ReferenceBlocked', reference.message);
  if (reference.state !== 'waiting') return undefined;
  return wait('WaitingForReference', reference.message, { afterMs: intervals.forReferenceMs });
}
