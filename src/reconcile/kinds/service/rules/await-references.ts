import type { Rule } from '../../../decide/rule.ts';
import { stall, wait } from '../../../step/step.ts';
import type { MissingService } from '../situation.ts';
import { lookAgain } from '../../../step/intervals.ts';

/** What a new service names must exist before it is created. */
export const awaitReferences: Rule<MissingService> = ({ vpc, forkSource }) => {
  for (const reference of [forkSource, vpc]) {
    if (reference.state === 'refused') return stall('NotAllowed', reference.message);
    if (reference.state === 'waiting') return wait('WaitingForReference', reference.message, { afterMs: lookAgain.forReferenceMs });
  }
  return undefined;
};
