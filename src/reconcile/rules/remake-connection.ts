import { connectionFinalizer } from '../../resources/annotations.ts';
import type { SecretSight } from '../connection/observe-secret.ts';
import type { Rule } from '../rule.ts';
import type { Situation } from '../situation.ts';
import { write } from '../step.ts';

/** A connection Secret that somebody deleted is made again from its own data, whatever else goes on: it needs nothing of the cloud. */
export const remakeConnection: Rule<Situation & { readonly secret: SecretSight }> = ({ identity, secret }) => {
  if (identity.state !== 'known' || secret.state !== 'ours' || !secret.secret.metadata.deletionTimestamp) return undefined;
  const { metadata, passwordDigest } = secret.secret;
  // Something else still holds it, and its password is kept: the place is taken until then, and the rest goes on.
  const isLetGo =
    metadata.finalizers?.includes(connectionFinalizer) !== true && (secret.pending !== undefined || passwordDigest === undefined);
  if (isLetGo) return undefined;
  return write({ type: 'remakeConnection' }, `Secret "${secret.name}" was deleted: it is made again with the same password`);
};
