import { holdersOf } from '../../connection/ours.ts';
import { isKeptAside } from '../../connection/pending-password.ts';
import { heldBy } from '../../connection/secret-refused.ts';
import type { SecretSight } from '../../connection/observe-secret.ts';
import type { Rule } from '../rule.ts';
import type { Situation } from '../../situation/situation.ts';
import { write } from '../../step/step.ts';

/**
 * A connection Secret that somebody deleted is made again from its own data, whatever else goes on: it needs nothing of the cloud. What a process kept
 * aside for that, and could not put back, goes the same way.
 */
export const remakeConnection: Rule<Situation & { readonly secret: SecretSight }> = ({ identity, secret }) => {
  if (identity.state !== 'known' || (secret.state !== 'ours' && secret.state !== 'absent')) return undefined;
  const deleted = secret.state === 'ours' && secret.secret.metadata.deletionTimestamp !== undefined;
  if (!deleted && !(secret.pending && isKeptAside(secret.pending))) return undefined;
  if (secret.state === 'ours' && holdersOf(secret.secret).length > 0) return undefined;
  return write({ type: 'remakeConnection' }, `Secret "${secret.name}" was deleted: it is made again with the same password`);
};

/** As long as somebody else holds the deleted one, its place is taken. The rest goes on, and this is told when nothing else is left. */
export const awaitPlace: Rule<Situation & { readonly secret: SecretSight }> = ({ secret }) => {
  const holders = secret.state === 'ours' ? holdersOf(secret.secret) : [];
  return holders.length === 0 ? undefined : heldBy(secret.name, holders);
};
