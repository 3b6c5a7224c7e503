import { isObserved, observingSetting } from '../../situation/management-policy.ts';
import type { Rule } from '../rule.ts';
import type { Situation } from '../../situation/situation.ts';
import { adoptionCommand, mayAdopt, ownKeyFirst } from '../../situation/may-adopt.ts';
import { stall } from '../../step/step.ts';
import { pendingChanges, type PendingChange, type ChangeRule } from '../pending-change.ts';

/** An object that may only look needs something to look at: nothing is made for it, nor made again. */
export const nothingToObserve: Rule<Situation> = (situation) => {
  const { object, identity, cloud, words, policy } = situation;
  if (!isObserved(object, policy) || (identity.state === 'known' && cloud.state !== 'absent')) return undefined;
  const otherwise = policy.managementPolicy === 'Observe' ? '; none is created' : '; or set it to Manage to create one';
  return stall(
    'AdoptionFailed',
    `${observingSetting(policy)} and there is no ${words.noun} to observe: name one: ${mayAdopt(situation) ? adoptionCommand(object, []) : ownKeyFirst}${otherwise}`,
  );
};

/** What differs from the spec is told, and left. */
export function observeOnly<S extends Situation>(changes: readonly ChangeRule<S>[]): Rule<S> {
  return (situation) => {
    const { object, identity, words, policy } = situation;
    if (!isObserved(object, policy) || identity.state !== 'known') return undefined;
    const differences = pendingChanges(changes, situation).map(difference);
    const why = policy.managementPolicy === 'Observe' ? `: ${observingSetting(policy)}` : '';
    const message = `the ${words.noun} is observed and never changed${why}`;
    const told = differences.length === 0 ? message : `${message}; it differs from the spec: ${differences.join(', ')}`;
    return { type: 'done', reason: 'Observed', message: told };
  };
}

function difference({ name, field, from, wanted }: PendingChange): string {
  return from === undefined || wanted === undefined ? name : `${field ?? name} is ${from} and not ${wanted}`;
}
