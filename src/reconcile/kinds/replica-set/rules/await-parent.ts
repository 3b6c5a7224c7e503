import type { Rule } from '../../../decide/rule.ts';
import { stall, wait } from '../../../step/step.ts';
import type { MissingReplicaSet } from '../situation.ts';
import { lookAgain } from '../../../step/intervals.ts';

/** A replica set is created or recreated only on a running service. */
export const awaitParent: Rule<MissingReplicaSet> = ({ parent }) => {
  switch (parent.state) {
    case 'refused':
      return stall('NotAllowed', parent.message);
    case 'waiting':
      return wait('WaitingForReference', parent.message, { afterMs: lookAgain.forReferenceMs });
    case 'none':
      return wait('WaitingForReference', 'neither spec.serviceRef nor spec.serviceId is set: set one', {
        afterMs: lookAgain.forReferenceMs,
      });
    case 'found':
      return undefined;
  }
};
