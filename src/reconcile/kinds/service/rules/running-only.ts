import type { Change } from '../../../decide/pending-change.ts';
import type { ServiceSituation } from '../situation.ts';
import { stateOf } from '../state.ts';

/** A change that a stopped service does not take: it stays pending until somebody starts it. */
export function runningOnly<Mirror>(change: Change<ServiceSituation, Mirror>): Change<ServiceSituation, Mirror> {
  return {
    ...change,
    pending(situation) {
      const pending = change.pending(situation);
      return pending && stateOf(situation) === 'PAUSED' ? { ...pending, isPostponed: true } : pending;
    },
  };
}
