import { replicaSets, replicaSetStatus } from '../../../resources/replica-set.ts';
import { readFields } from '../../../resources/read-fields.ts';
import type { KindReconciler } from '../kind.ts';
import { mirrorOf, sizeOf } from './mirror.ts';
import { observeReplicaSet } from './observe.ts';
import { decideReplicaSet } from './policy.ts';
import { replicaSetChanges } from './fields.ts';
import { driftFieldsOf } from '../../decide/field.ts';
import type { ReplicaSetSituation } from './situation.ts';

export const replicaSetKind: KindReconciler<ReplicaSetSituation> = {
  type: replicaSets,
  observe: observeReplicaSet,
  decide: decideReplicaSet,
  driftFields(status) {
    const { replicaSet } = readFields(replicaSetStatus, status).fields;
    return replicaSet ? driftFieldsOf(replicaSetChanges, replicaSet) : {};
  },
  mirror({ cloud, parentId }) {
    if (cloud.state !== 'present') return {};
    const { resource: set } = cloud;
    return { state: set.status, size: sizeOf(set), serviceId: parentId, replicaSet: mirrorOf(set) };
  },
};
