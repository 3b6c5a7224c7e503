import type { Rule } from '../rule.ts';
import { isObserved } from '../../situation/management-policy.ts';
import type { SecretSight } from '../../connection/observe-secret.ts';
import type { Situation } from '../../situation/situation.ts';

/** A Secret that the operator did not make is never overwritten; without a place for its password nothing is created or taken over. */
export const secretConflict: Rule<Situation & { readonly secret: SecretSight }> = ({ secret, identity, cloud, object, policy }) => {
  if (identity.state === 'known' && cloud.state !== 'absent') return undefined;
  if (secret.state !== 'unusable' || isObserved(object, policy)) return undefined;
  return secret.why;
};
