import { connectionIsCurrent } from '../../connection/connection-is-current.ts';
import type { Rule } from '../../rule.ts';
import { write } from '../../step.ts';
import type { ReplicaSetSituation } from '../situation.ts';

/** The connection Secret has the replicas' addresses, and user, password and database of the service. */
export const connectionSecret: Rule<ReplicaSetSituation> = ({ secret, connection, identity, object, parentSecret, clusterUid }) => {
  if (identity.state !== 'known' || secret.state === 'foreign' || secret.state === 'unread') return undefined;
  if (secret.state === 'absent') return write({ type: 'storeConnection' }, `Secret "${secret.name}" is missing`);
  const isCurrent =
    connectionIsCurrent(secret.secret, connection, identity.id, clusterUid, object.spec.connectionSecret) &&
    (!parentSecret || secret.secret.passwordDigest === parentSecret.passwordDigest);
  return isCurrent ? undefined : write({ type: 'storeConnection' }, `Secret "${secret.name}" is brought up to date`);
};
