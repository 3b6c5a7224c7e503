import { connectionIsCurrent } from '../../../connection/connection-is-current.ts';
import { connectionWrite } from '../../../connection/connection-write.ts';
import type { Rule } from '../../../decide/rule.ts';
import { write } from '../../../step/step.ts';
import type { ExistingService } from '../situation.ts';

/** The connection Secret says what the cloud says: addresses, user, database; and whose it is. */
export const connectionSecret: Rule<ExistingService> = (situation) => {
  const { secret, connection, id, object, clusterUid } = situation;
  if (secret.state === 'unusable' || secret.state === 'unread') return undefined;
  const store = (why: string) => write({ type: 'storeConnection', ...connectionWrite(situation) }, `Secret "${secret.name}" ${why}`);
  if (secret.state === 'absent') return store('is missing');
  const isCurrent =
    // Without a digest beside it, an edit of the password could not be told.
    secret.secret.password !== 'unmarked' && connectionIsCurrent(secret.secret, connection, id, clusterUid, object.spec.connectionSecret);
  return isCurrent ? undefined : store('is brought up to date');
};
