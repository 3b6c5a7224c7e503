import { connectionIsCurrent } from '../../../connection/connection-is-current.ts';
import type { Rule } from '../../../decide/rule.ts';
import { write } from '../../../step/step.ts';
import type { ReplicaSetSituation } from '../situation.ts';
import type { ConnectionSecret } from '../../../situation/known-content.ts';

/** The connection Secret has the replicas' addresses, and user, password and database of the service. */
export const connectionSecret: Rule<ReplicaSetSituation> = ({ secret, connection, identity, object, parentSecret, clusterUid }) => {
  if (identity.state !== 'known' || secret.state === 'unusable' || secret.state === 'unread') return undefined;
  if (secret.state === 'absent') return write({ type: 'storeConnection' }, `Secret "${secret.name}" is missing`);
  const isCurrent =
    connectionIsCurrent(secret.secret, connection, identity.id, clusterUid, object.spec.connectionSecret) &&
    follows(secret.secret, parentSecret);
  return isCurrent ? undefined : write({ type: 'storeConnection' }, `Secret "${secret.name}" is brought up to date`);
};

/** Its password is that of the service; while somebody has written another one there, it stays until the cloud has taken that. */
function follows(own: ConnectionSecret, parent: ConnectionSecret | undefined): boolean {
  if (!parent || (parent.password === 'edited' && parent.passwordDigest === undefined)) return true;
  return own.passwordDigest === parent.passwordDigest;
}
