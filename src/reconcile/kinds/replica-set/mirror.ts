import { replicaSet as wireReplicaSet, type ReplicaSet } from '../../../cloud/wire/replica-set.ts';
import { replicaSetStatus, type ReplicaSetStatus } from '../../../resources/replica-set.ts';
import { readFields } from '../../../resources/read-fields.ts';
import { withMissingFrom, camelCased, onceEach, snakeCased } from '../mirror.ts';

export type Mirror = NonNullable<ReplicaSetStatus['replicaSet']>;
const mirror = replicaSetStatus.shape.replicaSet.unwrap();

/** The replica set in status: every field that the schema of status has. */
export const mirrorOf = onceEach((set: ReplicaSet): Mirror => readFields(mirror, camelCased(set)).fields);

/** A reply with its missing fields taken from the last status. Address, pooler and state are always taken from the reply. */
export function completeReplicaSet(seen: ReplicaSet, shown: Mirror | undefined): ReplicaSet {
  if (!shown) return seen;
  const { endpoint: _endpoint, connectionPooler: _pooler, status: _status, ...lasting } = shown;
  return wireReplicaSet.parse(withMissingFrom(seen, snakeCased(lasting)));
}
