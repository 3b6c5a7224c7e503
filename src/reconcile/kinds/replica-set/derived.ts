import { serviceId } from '../../../cloud/wire/ids.ts';
import { pendingChanges } from '../../decide/pending-change.ts';
import type { Derived } from '../../observe/observe-object.ts';
import { replicaSetChanges } from './fields.ts';
import type { ReplicaSetSituation } from './situation.ts';

/** Completes the observation of a replica set with the values that rules derive from it. Pure. */
export function replicaSetSituationOf(seen: Omit<ReplicaSetSituation, Derived | 'parentId'>): ReplicaSetSituation {
  const { cloud, object, account, record } = seen;
  const set = cloud.state === 'present' ? cloud.resource : undefined;
  const parentId = record.parentServiceId === undefined ? undefined : serviceId.parse(record.parentServiceId);
  const list = account.state === 'usable' && parentId !== undefined ? account.account.observer.replicaSets(parentId) : undefined;
  const whole = {
    ...seen,
    parentId,
    state: set?.status,
    isAtRest: set?.status === 'active',
    environment: object.spec.environment ?? set?.metadata?.environment ?? object.status?.replicaSet?.metadata?.environment,
    list,
    progressList: list,
  };
  return { ...whole, pendingChanges: pendingChanges(replicaSetChanges, whole) };
}
