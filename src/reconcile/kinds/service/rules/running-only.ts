import type { Change } from '../../../decide/pending-change.ts';
import type { ShownService } from '../situation.ts';

/** Postpones a change that a stopped service does not accept, until the service is started. */
export function runningOnly<Mirror>(change: Change<ShownService, Mirror>): Change<ShownService, Mirror> {
  return {
    ...change,
    pending(situation) {
      const pending = change.pending(situation);
      return pending && situation.state === 'PAUSED' ? { ...pending, isPostponed: true } : pending;
    },
  };
}
