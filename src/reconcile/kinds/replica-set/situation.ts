import type { ServiceId } from '../../../cloud/wire/ids.ts';
import type { ReplicaSet as CloudReplicaSet } from '../../../cloud/wire/replica-set.ts';
import type { ReplicaSet } from '../../../resources/replica-set.ts';
import type { CloudSight } from '../../situation/cloud-sight.ts';
import type { Connection } from '../../step/connection.ts';
import type { SecretSight } from '../../connection/observe-secret.ts';
import type { Reference } from '../../situation/reference.ts';
import type { AdoptionSight, SameNames, Situation } from '../../situation/situation.ts';
import type { ConnectionSecret } from '../../situation/known-content.ts';

/** What the rules of a ReplicaSet decide by. */
export interface ReplicaSetSituation extends Situation {
  readonly object: ReplicaSet;
  readonly cloud: CloudSight<CloudReplicaSet>;
  /** The service that the spec names. Read before the creation only: afterwards the record says where the replica set hangs. */
  readonly parent: Reference<ServiceId>;
  readonly sameNames: SameNames;
  readonly adoption: AdoptionSight;
  readonly secret: SecretSight;
  /** The Secret of the name that the spec asks for, when that is another one than the record's. */
  readonly nextSecret: SecretSight | undefined;
  /** The parent's connection Secret, which has user, password and database. */
  readonly parentSecret: ConnectionSecret | undefined;
  readonly connection: Connection;
}
