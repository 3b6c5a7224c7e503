import type { Rule } from '../rule.ts';
import type { Situation } from '../situation.ts';
import { stall } from '../step.ts';

/** A resource has one owner. Everybody else only looks, and goes without a trace. */
export const yieldToOwner: Rule<Situation> = ({ claim, deletion, record, words }) => {
  if (claim.state === 'ours' || claim.state === 'restored') return undefined;
  if (deletion.requested) return { type: 'release', message: `the ${words.noun} belongs to somebody else and stays` };
  const id = record.id ?? 'its resource';
  if (claim.state === 'another') {
    return stall(
      'OwnedByAnother',
      `${words.noun} ${id} belongs to ${claim.owner}: delete this object, or that one with spec.deletionPolicy Retain`,
    );
  }
  return stall(
    'OwnedElsewhere',
    `${words.noun} ${id} belongs to an object in another cluster (${claim.clusterUid}): annotate managed-db.io/take-over=${id} once that cluster no longer manages it`,
  );
};
