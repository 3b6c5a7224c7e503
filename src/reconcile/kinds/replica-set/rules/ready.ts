import type { Rule } from '../../../decide/rule.ts';
import type { ExistingReplicaSet } from '../situation.ts';

export const ready: Rule<ExistingReplicaSet> = (situation) => {
  const { connection, secret } = situation;
  const where = connection.direct?.host === undefined ? '' : ` at ${connection.direct.host}:${connection.direct.port ?? ''}`;
  return {
    type: 'done',
    reason: 'Available',
    message: `the replica set is available${where}; Secret "${secret.name}" has the connection${passwordWords(situation)}`,
  };
};

/** Without a ManagedService in this namespace, a stored password stays, but it is unknown whether it is still valid. */
function passwordWords({ secret, parentSecret }: ExistingReplicaSet): string {
  if (parentSecret !== undefined && parentSecret.password !== 'none') return '';
  const hasOne = secret.state === 'ours' && secret.secret.password !== 'none';
  return `; ${hasOne ? 'its password is not kept up' : 'it has no password'}, since no ManagedService of this namespace has it`;
}
