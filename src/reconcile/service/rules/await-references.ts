import type { Rule } from '../../rule.ts';
import { stall, wait } from '../../step.ts';
import type { ServiceSituation } from '../situation.ts';

const lookAgainMs = 30_000;

/** What a new service names must exist first; what an existing one names, before it can be attached to it. */
export const awaitReferences: Rule<ServiceSituation> = ({ vpc, forkSource, identity }) => {
  const needed = identity.state === 'known' ? [vpc] : [forkSource, vpc];
  for (const reference of needed) {
    if (reference.state === 'refused') return stall('NotAllowed', reference.message);
    if (reference.state === 'waiting') return wait('WaitingForReference', reference.message, { afterMs: lookAgainMs });
  }
  return undefined;
};
