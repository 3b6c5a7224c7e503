import type { WishRule } from '../../../decide/wish.ts';
import type { ServiceSituation } from '../situation.ts';
import { stateOf } from '../state.ts';

/** A change that a stopped service does not take: it stays a wish until somebody starts it. */
export function runningOnly(rule: WishRule<ServiceSituation>): WishRule<ServiceSituation> {
  return (situation) => {
    const wish = rule(situation);
    return wish && stateOf(situation) === 'PAUSED' ? { ...wish, isPostponed: true } : wish;
  };
}
