import { serviceId } from '../../../cloud/wire/ids.ts';
import type { Rule } from '../../rule.ts';
import { call } from '../../step.ts';
import type { ServiceSituation } from '../situation.ts';
import { stateOf } from '../state.ts';

/**
 * A password that did not reach the connection Secret, or is on its way there, is set anew: only where the record says that it is ours to set.
 * What is pending is finished first, with the same password.
 */
export const password: Rule<ServiceSituation> = (situation) => {
  const { secret, record, identity } = situation;
  if (identity.state !== 'known' || record.password !== 'managed' || stateOf(situation) !== 'READY') return undefined;
  if (secret.state === 'foreign' || secret.state === 'unread') return undefined;
  const isStored = secret.state === 'ours' && secret.secret.passwordDigest !== undefined;
  if (isStored && !secret.pending) return undefined;
  return call(
    { type: 'resetPassword', id: serviceId.parse(identity.id) },
    { reason: 'RotatingPassword', message: `the password is not in Secret "${secret.name}": setting a new one` },
  );
};
