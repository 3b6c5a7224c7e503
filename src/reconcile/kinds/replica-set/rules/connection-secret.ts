import { connectionIsCurrent } from '../../../connection/connection-is-current.ts';
import { connectionWrite } from '../../../connection/connection-write.ts';
import type { Rule } from '../../../decide/rule.ts';
import { write } from '../../../step/step.ts';
import type { ExistingReplicaSet } from '../situation.ts';
import type { ConnectionSecret } from '../../../situation/observed-secret.ts';

/** The connection Secret has the addresses of the replicas, and the user, password and database of the service. */
export const connectionSecret: Rule<ExistingReplicaSet> = (situation) => {
  const { secret, connection, id, object, parentSecret, clusterUid } = situation;
  if (secret.state === 'unusable' || secret.state === 'unread') return undefined;
  const store = (why: string) => write({ type: 'storeConnection', ...connectionWrite(situation) }, `Secret "${secret.name}" ${why}`);
  if (secret.state === 'absent') return store('is missing');
  const isCurrent =
    connectionIsCurrent(secret.secret, connection, id, clusterUid, object.spec.connectionSecret) && follows(secret.secret, parentSecret);
  return isCurrent ? undefined : store('is brought up to date');
};

/**
 * Whether the password is that of the service. If somebody edited the service's Secret so that its valid password is unknown, the replica set keeps its own.
 */
function follows(own: ConnectionSecret, parent: ConnectionSecret | undefined): boolean {
  if (!parent || (parent.password === 'edited' && parent.passwordDigest === undefined)) return true;
  return own.passwordDigest === parent.passwordDigest;
}

/** Removes the copy that was left from recreating a deleted Secret, once the Secret has its password. A replica set never has a pending password. */
export const dropLeftover: Rule<ExistingReplicaSet> = ({ secret, record }) => {
  if (secret.state !== 'ours' || secret.secret.metadata.deletionTimestamp || secret.secret.password === 'none') return undefined;
  if (!secret.pending || record.previousSecretName !== undefined) return undefined;
  const { name } = secret.pending.metadata;
  return write({ type: 'dropConnection', name, record: undefined }, `Secret "${name}" is needed no more`);
};
