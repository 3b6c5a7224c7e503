import { serviceId, type ServiceId } from '../../../cloud/wire/service.ts';
import type { ResourceRecord } from '../../../resources/ledger-entry.ts';
import { pendingChanges } from '../../decide/pending-change.ts';
import { ownStatus } from '../../situation/history.ts';
import { mirrorOf, replicaSetChanges } from './fields.ts';
import { lasting } from '../mirror.ts';
import type { ReplicaSet } from '../../../cloud/wire/replica-set.ts';
import type { Mirror, ReplicaSetFacts, ReplicaSetSituation } from './situation.ts';

/** The replica set as status shows it: a part that the reply lacks is as in the last status of this set. Pure. */
export function shownReplicaSet(
  of: Pick<ReplicaSetFacts, 'object' | 'record'>,
  set: ReplicaSet,
): Mirror {
  return mirrorOf(set, lasting(ownStatus(of)?.replicaSet, of.object.spec));
}

/** The situation with the parts that follow from other parts. Pure. */
export function replicaSetSituationOf(facts: ReplicaSetFacts): ReplicaSetSituation {
  const { cloud, object, record } = facts;
  const set = cloud.state === 'present' ? cloud.resource : undefined;
  const whole = {
    ...facts,
    parentId: parentIn(record),
    mirror: set && shownReplicaSet(facts, set),
    state: set?.status,
    isAtRest: set?.status === 'active',
    environment:
      object.spec.environment ??
      set?.metadata?.environment ??
      object.status?.replicaSet?.metadata?.environment,
  };
  return { ...whole, pendingChanges: pendingChanges(replicaSetChanges, whole) };
}

/** The service in the record. Undefined before a create. */
export function parentIn({ parentServiceId }: ResourceRecord): ServiceId | undefined {
  return parentServiceId === undefined ? undefined : serviceId.parse(parentServiceId);
}
