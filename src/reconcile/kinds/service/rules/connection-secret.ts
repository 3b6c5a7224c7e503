import { connectionIsCurrent } from '../../../connection/connection-is-current.ts';
import type { Rule } from '../../../decide/rule.ts';
import { write } from '../../../step/step.ts';
import type { ServiceSituation } from '../situation.ts';

/** The connection Secret says what the cloud says: addresses, user, database; and whose it is. */
export const connectionSecret: Rule<ServiceSituation> = ({ secret, connection, identity, object, clusterUid }) => {
  if (identity.state !== 'known' || secret.state === 'unusable' || secret.state === 'unread') return undefined;
  if (secret.state === 'absent') return write({ type: 'storeConnection' }, `Secret "${secret.name}" is missing`);
  const isCurrent =
    // Without a digest beside it, an edit of the password could not be told.
    secret.secret.password !== 'unmarked' &&
    connectionIsCurrent(secret.secret, connection, identity.id, clusterUid, object.spec.connectionSecret);
  return isCurrent ? undefined : write({ type: 'storeConnection' }, `Secret "${secret.name}" is brought up to date`);
};
