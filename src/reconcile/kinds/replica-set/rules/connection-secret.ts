import { wantedSecret } from '../../../connection/connection-write.ts';
import { keepConnection } from '../../../decide/rules/connection.ts';
import type { Rule } from '../../../decide/rule.ts';
import { write } from '../../../step/step.ts';
import type { ExistingReplicaSet } from '../situation.ts';
import type { ConnectionSecret } from '../../../situation/observed-secret.ts';

/** The connection Secret has the addresses of the replicas, and the user, password and database of the service. */
export const connectionSecret = keepConnection<ExistingReplicaSet>((secret, { parentSecret }) => follows(secret, parentSecret));

/**
 * Whether the password is that of the service. If somebody edited the service's Secret so that its valid password is unknown, the replica set keeps its own.
 */
function follows(own: ConnectionSecret, parent: ConnectionSecret | undefined): boolean {
  if (!parent || (parent.password === 'edited' && parent.passwordDigest === undefined)) return true;
  return own.passwordDigest === parent.passwordDigest;
}

/** Removes the copy that was left from recreating a deleted Secret, once the Secret has its password. A replica set never has a pending password. */
export const dropLeftover: Rule<ExistingReplicaSet> = (situation) => {
  const { secret, record } = situation;
  if (secret.state !== 'ours' || secret.secret.metadata.deletionTimestamp || secret.secret.password === 'none') return undefined;
  if (!secret.pending || record.previousSecretName !== undefined) return undefined;
  const { name } = secret.pending.metadata;
  return write({ type: 'dropConnection', name, secret: wantedSecret(situation), record: undefined }, `Secret "${name}" is needed no more`);
};
