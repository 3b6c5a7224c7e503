import type { Change } from '../../../decide/pending-change.ts';
import type { ShownService } from '../situation.ts';

/** A change that a stopped service does not take: it stays pending until somebody starts it. */
export function runningOnly<Mirror>(change: Change<ShownService, Mirror>): Change<ShownService, Mirror> {
  return {
    ...change,
    pending(situation) {
      const pending = change.pending(situation);
      return pending && situation.state === 'PAUSED' ? { ...pending, isPostponed: true } : pending;
    },
  };
}
