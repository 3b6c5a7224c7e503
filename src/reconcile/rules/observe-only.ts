import type { Rule } from '../rule.ts';
import type { Situation } from '../situation.ts';
import { stall } from '../step.ts';

/** An object that may only look needs something to look at. */
export const nothingToObserve: Rule<Situation> = ({ object, identity, words }) => {
  if (object.spec.managementPolicy !== 'Observe' || identity.state === 'known') return undefined;
  return stall(
    'AdoptionFailed',
    `spec.managementPolicy is Observe and there is no ${words.noun} to observe: annotate managed-db.io/external-id=<id>, or set it to Manage to create one`,
  );
};

export const observeOnly: Rule<Situation> = ({ object, identity, words }) => {
  if (object.spec.managementPolicy !== 'Observe' || identity.state !== 'known') return undefined;
  return { type: 'done', reason: 'Observed', message: `the ${words.noun} is observed and never changed` };
};
