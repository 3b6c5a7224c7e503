import { serviceId } from '../../../cloud/wire/ids.ts';
import { replicaSets, replicaSetStatus } from '../../../resources/replica-set.ts';
import { readFields } from '../../../resources/read-fields.ts';
import type { KindReconciler } from '../kind.ts';
import { mirrorOf, sizeOf } from './mirror.ts';
import { observeReplicaSet } from './observe.ts';
import { decideReplicaSet } from './policy.ts';
import { replicaSetChanges } from './fields.ts';
import { driftFieldsOf } from '../../decide/field.ts';
import { pendingChanges } from '../../decide/pending-change.ts';
import type { ReplicaSetSituation } from './situation.ts';
import { environmentOf, replicaSetOf, stateOf } from './state.ts';

export const replicaSetKind: KindReconciler<ReplicaSetSituation> = {
  type: replicaSets,
  observe: observeReplicaSet,
  decide: decideReplicaSet,
  driftFields(_situation, status) {
    const { replicaSet } = readFields(replicaSetStatus, status).fields;
    return replicaSet ? driftFieldsOf(replicaSetChanges, replicaSet) : {};
  },
  pendingChanges: (situation) => pendingChanges(replicaSetChanges, situation),
  environmentOf,
  isAtRest: (situation) => stateOf(situation) === 'active',
  mirror(situation) {
    const set = replicaSetOf(situation);
    if (!set) return {};
    return {
      state: set.status,
      size: sizeOf(set),
      serviceId: situation.record.parentServiceId,
      replicaSet: mirrorOf(set),
    };
  },
  listOf: ({ account, record }) =>
    account.state === 'usable' && record.parentServiceId !== undefined
      ? account.account.observer.replicaSets(serviceId.parse(record.parentServiceId))
      : undefined,
  secretOf: ({ secret }) => secret,
};
