import { connectionIsCurrent } from '../../../connection/connection-is-current.ts';
import { connectionWrite } from '../../../connection/connection-write.ts';
import type { Rule } from '../../../decide/rule.ts';
import { write } from '../../../step/step.ts';
import type { ExistingService } from '../situation.ts';

/** The connection Secret has the current addresses, user, database and owner. */
export const connectionSecret: Rule<ExistingService> = (situation) => {
  const { secret, connection, id, object, clusterUid } = situation;
  if (secret.state === 'unusable' || secret.state === 'unread') return undefined;
  const store = (why: string) => write({ type: 'storeConnection', ...connectionWrite(situation) }, `Secret "${secret.name}" ${why}`);
  if (secret.state === 'absent') return store('is missing');
  const isCurrent =
    // Without a digest, an edit of the password would not be noticed.
    secret.secret.password !== 'unmarked' && connectionIsCurrent(secret.secret, connection, id, clusterUid, object.spec.connectionSecret);
  return isCurrent ? undefined : store('is brought up to date');
};
