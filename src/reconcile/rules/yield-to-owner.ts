import type { Rule } from '../rule.ts';
import type { Situation } from '../situation.ts';
import { stall } from '../step.ts';

/** A resource has one owner. Everybody else only looks, and goes without a trace. */
export const yieldToOwner: Rule<Situation> = ({ claim, deletion, record, identity, words }) => {
  if (claim.state === 'ours' || claim.state === 'restored') return undefined;
  if (deletion.requested) return { type: 'release', message: `the ${words.noun} belongs to somebody else and stays` };
  const id = record.id ?? (identity.state === 'known' ? identity.id : '');
  if (claim.state === 'another') {
    return stall(
      'OwnedByAnother',
      `${words.noun} ${id} belongs to ${claim.owner}: delete this object, or that one with spec.deletionPolicy Retain`,
    );
  }
  return stall(
    'OwnedElsewhere',
    `${words.noun} ${id} belongs to an object in ${claim.where}: annotate managed-db.io/take-over=${id} once that one no longer manages it`,
  );
};
