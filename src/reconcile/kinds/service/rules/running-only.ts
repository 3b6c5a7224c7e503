import type { ChangeRule } from '../../../decide/pending-change.ts';
import type { ServiceSituation } from '../situation.ts';
import { stateOf } from '../state.ts';

/** A change that a stopped service does not take: it stays pending until somebody starts it. */
export function runningOnly(rule: ChangeRule<ServiceSituation>): ChangeRule<ServiceSituation> {
  return (situation) => {
    const change = rule(situation);
    return change && stateOf(situation) === 'PAUSED' ? { ...change, isPostponed: true } : change;
  };
}
