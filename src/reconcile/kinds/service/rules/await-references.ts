import type { Rule } from '../../../decide/rule.ts';
import { stall, wait } from '../../../step/step.ts';
import type { ServiceSituation } from '../situation.ts';

const lookAgainMs = 30_000;

/** What a new service names must exist before it is created. */
export const awaitReferences: Rule<ServiceSituation> = ({ vpc, forkSource, identity, cloud }) => {
  if (identity.state === 'known' && cloud.state !== 'absent') return undefined;
  for (const reference of [forkSource, vpc]) {
    if (reference.state === 'refused') return stall('NotAllowed', reference.message);
    if (reference.state === 'waiting') return wait('WaitingForReference', reference.message, { afterMs: lookAgainMs });
  }
  return undefined;
};
