import { replicaSets } from '../../../resources/replica-set.ts';
import { shownSize } from '../fields.ts';
import type { KindReconciler } from '../kind.ts';
import { replicaSetChanges } from './fields.ts';
import { observeReplicaSet, rereadReplicaSet } from './observe.ts';
import { replicaSetSituationOf } from './situation-of.ts';
import { driftFieldsOf } from '../../decide/pending-change.ts';
import type { ReplicaSetFacts, ReplicaSetSituation } from './situation.ts';
import { serviceId } from '../../../cloud/wire/service.ts';
import type { ReplicaSet } from '../../../cloud/wire/replica-set.ts';
import { policy } from '../../decide/policy.ts';
import { awaitEndpoint } from '../../decide/rules/existing.ts';
import {
  awaitParent,
  createReplicaSet,
  ready,
  reportError,
  awaitCloudWork,
  awaitService,
  serving,
  deletion,
  removeUnlisted,
} from './rules/lifecycle.ts';

/** The whole policy of a replica set. Pure. */
export const decideReplicaSet = policy<ReplicaSet, ReplicaSetSituation>({
  deleting: { states: ['deleting'], deletion, before: [removeUnlisted] },
  missing: {
    place: [awaitParent],
    adopted: ({ parent }) => (parent.state === 'found' ? { parentServiceId: parent.id } : {}),
    create: createReplicaSet,
  },
  existing: {
    beforeChanges: [awaitCloudWork],
    trouble: [reportError],
    waits: [awaitService, awaitEndpoint],
    ready,
  },
});

/** The parts of a visit that differ for a replica set. */
export const replicaSetKind: KindReconciler<ReplicaSetSituation, ReplicaSetFacts> = {
  type: replicaSets,
  list: (lists, parentId) => lists.replicaSets(serviceId.parse(parentId)),
  observe: observeReplicaSet,
  reread: rereadReplicaSet,
  situationOf: replicaSetSituationOf,
  decide: decideReplicaSet,
  driftFields: ({ mirror }) => (mirror ? driftFieldsOf(replicaSetChanges, mirror) : {}),
  serving,
  mirror({ mirror: replicaSet, parentId }) {
    if (!replicaSet) return {};
    return {
      state: replicaSet.status,
      size: shownSize(replicaSet),
      serviceId: parentId,
      replicaSet,
    };
  },
};
