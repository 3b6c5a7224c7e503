import type { Rule } from '../rule.ts';
import type { Situation } from '../situation.ts';
import { deletionPolicyOf } from '../deletion-policy.ts';

/** What is to be kept, or was never made, needs no credentials to be let go. An open create does: it may have made something. */
export const releaseKept: Rule<Situation> = ({ object, deletion, identity, record, attempt, policy, words }) => {
  if (!deletion.requested || deletion.started || attempt !== undefined) return undefined;
  if (identity.state === 'none' && !hasPendingPeering(record)) return { type: 'release', message: `no ${words.noun} was created` };
  if (object.spec.managementPolicy === 'Observe' || deletionPolicyOf(object, policy) === 'Retain') {
    return { type: 'release', message: `the ${words.noun} stays in the cloud` };
  }
  return undefined;
};

function hasPendingPeering(record: Situation['record']): boolean {
  return Object.values(record.peerings ?? {}).some((peering) => 'pendingSince' in peering);
}
