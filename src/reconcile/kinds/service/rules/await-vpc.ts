import type { Rule } from '../../../decide/rule.ts';
import { stall, wait } from '../../../step/step.ts';
import type { ExistingService } from '../situation.ts';
import { lookAgain } from '../../../step/intervals.ts';

/** The VPC that the spec names cannot be found (any more): everything else is as wanted, and nothing is detached for it. */
export const awaitVpc: Rule<ExistingService> = ({ vpc }) => {
  if (vpc.state === 'refused') return stall('NotAllowed', vpc.message);
  return vpc.state === 'waiting' ? wait('WaitingForReference', vpc.message, { afterMs: lookAgain.forReferenceMs }) : undefined;
};
