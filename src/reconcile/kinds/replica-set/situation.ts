import type { Shown } from '../../decide/pending-change.ts';
import type { Deleting, Existing, Missing } from '../../decide/rule.ts';
import type { ServiceId } from '../../../cloud/wire/service.ts';
import type { ReplicaSet as CloudReplicaSet } from '../../../cloud/wire/replica-set.ts';
import type { ReplicaSet, ReplicaSetStatus } from '../../../resources/replica-set.ts';
import type { Facts, ObservedSecret, Reference, Situation } from '../../situation/situation.ts';

/** The replica set as status shows it: the last reply of the cloud, with the names of status. */
export type Mirror = NonNullable<ReplicaSetStatus['replicaSet']>;

/** The facts about a replica set. */
export interface ReplicaSetFacts extends Facts<CloudReplicaSet> {
  readonly object: ReplicaSet;
  /**
   * Before the creation, the service in the spec; afterwards, the service in the record. `waiting` while that service
   * does not allow the creation or a change. Without a change its state is not read.
   */
  readonly parent: Reference<ServiceId>;
  /** The service is stopped, as its object in this namespace says. `isReady`: that object requests the stop. */
  readonly stoppedService?: { readonly message: string; readonly isReady: boolean } | undefined;
  readonly secret: ObservedSecret;
}

/** The situation of a replica set. */
export interface ReplicaSetSituation extends ReplicaSetFacts, Situation<CloudReplicaSet> {
  readonly object: ReplicaSet;
  readonly secret: ObservedSecret;
  readonly mirror: Mirror | undefined;
  /** The service in the record. */
  readonly parentId: ServiceId | undefined;
}

/** The situation of a replica set that the cloud shows, for its changes. */
export type ShownReplicaSet = Shown<CloudReplicaSet, ReplicaSetSituation>;
/** The situation of a replica set that must be deleted. */
export type DeletingReplicaSet = Deleting<ReplicaSetSituation>;
/** The situation of a replica set that was not created, is lost, or cannot be read. */
export type MissingReplicaSet = Missing<ReplicaSetSituation>;
/** The situation of a replica set that the cloud shows, for its rules. */
export type ExistingReplicaSet = Existing<CloudReplicaSet, ReplicaSetSituation>;
