import type { Rule } from '../rule.ts';
import type { Situation, Claimant } from '../../situation/situation.ts';
import { deleteCommand } from '../../situation/commands.ts';
import { isNeighbour, namedTo } from '../../situation/neighbours.ts';
import { stall } from '../../step/step.ts';
import { claimedId, takeOverCommand } from '../../situation/take-over.ts';
import type { ManagedObject } from '../../../resources/managed-object.ts';

/** The other object may go, or be decided for, at any time. */
const lookAgainMs = 60_000;

/** A resource has one owner. Everybody else only looks, and goes without a trace. */
export const yieldToOwner: Rule<Situation> = (situation) => {
  const { claim, deletion, object, words } = situation;
  if (claim.state === 'ours' || claim.state === 'restored') return undefined;
  if (deletion.requested) return { type: 'release', message: `the ${words.noun} belongs to somebody else and stays` };
  const id = claimedId(situation);
  const takeOver = takeOverCommand(object, situation);
  switch (claim.state) {
    case 'another':
      return stall('OwnedByAnother', `${words.noun} ${id} belongs to ${namedTo(object, claim.owner)}: ${oneGoes(object, claim.owner)}`, {
        retryAfterMs: lookAgainMs,
      });
    case 'undecided':
      return stall(
        'OwnedByAnother',
        `${words.noun} ${id} is claimed by ${namedTo(object, claim.rival)} with the same record, and nobody acts for it: delete the one that is a copy, or say that this one counts: ${takeOver}`,
        { retryAfterMs: lookAgainMs },
      );
    case 'elsewhere':
      return stall(
        'OwnedElsewhere',
        `${words.noun} ${id} belongs to an object in ${claim.where}; once that one no longer manages it: ${takeOver}`,
      );
  }
};

/** What ends it: of two objects for one resource, one has to go. */
export function oneGoes(object: ManagedObject, owner: Claimant): string {
  const other = isNeighbour(object, owner)
    ? 'or that one with spec.deletionPolicy Retain'
    : 'or ask whoever runs the operator, whose log names that one';
  return `delete this object, which deletes nothing in the cloud, ${other}: ${deleteCommand(object)}`;
}
