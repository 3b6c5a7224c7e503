import { replicaSetId, type ReplicaSetId, replicaSet as wireReplicaSet, type ReplicaSet } from '../../../cloud/wire/replica-set.ts';
import type { ServiceId } from '../../../cloud/wire/service.ts';
import { fieldsOf } from '../../decide/pending-change.ts';
import {
  connectionPoolerField,
  environmentField,
  postponedUnless,
  sizeField,
  sizeRequest,
  type Size,
  withMissingFrom,
  camelCased,
  onceEach,
  snakeCased,
} from '../fields.ts';
import type { ShownReplicaSet } from './situation.ts';
import { replicaSetStatus, type ReplicaSetStatus } from '../../../resources/replica-set.ts';
import { readFields } from '../../../resources/stored-object.ts';

/** The order of the changes is at the end. */

const field = fieldsOf<ShownReplicaSet, Mirror, readonly [ServiceId, ReplicaSetId]>({
  mirror: ({ resource }) => mirrorOf(resource),
  id: ({ id, parentId }) => parentId && [parentId, replicaSetId.parse(id)],
});

const size = field({
  ...sizeField('replica set'),
  shown: ({ cpuMillis, memoryGbs }): Size | undefined =>
    cpuMillis === undefined && memoryGbs === undefined ? undefined : { cpuMillis, memoryGbs },
  wanted({ object: { spec } }, shown) {
    const { cpuMillis, memoryGbs } = spec;
    const isSizeShown = shown.cpuMillis !== undefined && shown.memoryGbs !== undefined;
    return isSizeShown && cpuMillis !== undefined && memoryGbs !== undefined ? { cpuMillis, memoryGbs } : undefined;
  },
  change: (ids, wanted) => ({ operation: 'resizeReplicaSet', args: [...ids, sizeRequest(wanted)] }),
});

const environment = field({
  ...environmentField('replica set'),
  change: (ids, wanted) => ({ operation: 'setReplicaSetEnvironment', args: [...ids, { environment: wanted }] }),
});

const connectionPooler = field({
  ...connectionPoolerField('replica set'),
  change: (ids, isWanted) => ({ operation: isWanted ? 'enableReplicaSetPooler' : 'disableReplicaSetPooler', args: [...ids] }),
});

/** In the order in which the changes are made. */
export const replicaSetChanges = [size, environment, connectionPooler].map((change) =>
  postponedUnless(change, ({ state }) => state === 'active'),
);

export type Mirror = NonNullable<ReplicaSetStatus['replicaSet']>;
const mirror = replicaSetStatus.shape.replicaSet.unwrap();

/** The replica set in status: every field that the schema of status has. */
export const mirrorOf = onceEach((set: ReplicaSet): Mirror => readFields(mirror, camelCased(set)).fields);

/** A reply with its missing fields taken from the last status, except address, pooler and state. */
export function completeReplicaSet(seen: ReplicaSet, shown: Mirror | undefined): ReplicaSet {
  if (!shown) return seen;
  const { endpoint: _endpoint, connectionPooler: _pooler, status: _status, ...lasting } = shown;
  return wireReplicaSet.parse(withMissingFrom(seen, snakeCased(lasting)));
}
