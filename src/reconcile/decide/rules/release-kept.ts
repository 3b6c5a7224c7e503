import type { Rule } from '../rule.ts';
import type { Situation } from '../../situation/situation.ts';
import { isKept } from '../../situation/deletion-policy.ts';

/** What is to be kept, or was never made, needs no credentials to be let go. An open create does: it may have made something. */
export const releaseKept: Rule<Situation> = (situation) => {
  const { deletion, identity, record, attempt, words } = situation;
  if (!deletion.requested || attempt !== undefined) return undefined;
  if (identity.state === 'none' && !hasPendingPeering(record)) return { type: 'release', message: `no ${words.noun} was created` };
  return isKept(situation) ? { type: 'release', message: `the ${words.noun} stays in the cloud` } : undefined;
};

function hasPendingPeering(record: Situation['record']): boolean {
  return Object.values(record.peerings ?? {}).some((peering) => 'pendingSince' in peering);
}
