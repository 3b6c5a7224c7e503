import type { Rule } from '../../../decide/rule.ts';
import type { ReplicaSetSituation } from '../situation.ts';

export const ready: Rule<ReplicaSetSituation> = ({ connection, secret, parentSecret }) => {
  const where = connection.direct?.host === undefined ? '' : ` at ${connection.direct.host}:${connection.direct.port ?? ''}`;
  const password =
    parentSecret === undefined || parentSecret.password === 'none'
      ? '; it has no password, since no ManagedService of this namespace has it'
      : '';
  return {
    type: 'done',
    reason: 'Available',
    message: `the replica set is available${where}; Secret "${secret.name}" has the connection${password}`,
  };
};
