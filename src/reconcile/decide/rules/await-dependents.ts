import { CloudError } from '../../../cloud/cloud-error.ts';
import type { Rule } from '../rule.ts';
import { namedTo } from '../../situation/neighbours.ts';
import type { Dependent, Situation } from '../../situation/situation.ts';
import { wait } from '../../step/step.ts';
import { unreadableCloud } from './unreadable-cloud.ts';
import type { ManagedObject } from '../../../resources/managed-object.ts';

const lookAgainMs = 5_000;
/** What holds it wakes this object when it changes: this is for what might have been missed. */
const blockedLookAgainMs = 60_000;

/** Only what exists in the cloud holds a resource, never an object that merely names it. */
export const awaitDependents: Rule<Situation> = (situation) => {
  const { deletion, words, cloud, account, object } = situation;
  const { dependents } = deletion;
  if (!deletion.requested || cloud.state !== 'present') return undefined;
  if (!dependents && account.state === 'usable')
    return wait('Deleting', `making sure that nothing depends on the ${words.noun}: the cloud's lists do not show it all yet`, {
      afterMs: lookAgainMs,
    });
  if (!dependents || dependents instanceof CloudError)
    return unreadableCloud(situation, dependents, `show what depends on the ${words.noun}`);
  if (dependents.length === 0) return undefined;
  return wait(
    'DeletionBlocked',
    `deletion waits for ${describe(dependents, object)}; delete it, or set spec.deletionPolicy to Retain to keep the ${words.noun} and drop only this object`,
    { afterMs: blockedLookAgainMs },
  );
};

const shown = 5;

function describe(dependents: readonly Dependent[], object: ManagedObject): string {
  const noun = dependents[0]?.noun ?? '';
  const names = dependents
    .slice(0, shown)
    .map(({ owner, id }) => (owner ? namedTo(object, owner) : `${id} (no object here stands for it)`));
  const more = dependents.length > shown ? ` and ${dependents.length - shown} more` : '';
  return `${dependents.length} ${noun}${dependents.length === 1 ? '' : 's'}: ${names.join(', ')}${more}`;
}
