import {
  replicaSetId,
  type ReplicaSetId,
  type ReplicaSet,
} from '../../../cloud/wire/replica-set.ts';
import type { ServiceId } from '../../../cloud/wire/service.ts';
import { fieldsOf } from '../../decide/pending-change.ts';
import {
  connectionPoolerField,
  environmentField,
  postponedUnless,
  sizeField,
  sizeRequest,
} from '../fields.ts';
import { inStatus, keptEndpoint, keptPooler, showsPooler } from '../mirror.ts';
import type { Mirror, ShownReplicaSet } from './situation.ts';
import { replicaSetStatus } from '../../../resources/replica-set.ts';
import { readFields } from '../../../resources/stored-object.ts';

const field = fieldsOf<ShownReplicaSet, readonly [ServiceId, ReplicaSetId]>(
  ({ id, parentId }) => parentId && [parentId, replicaSetId.parse(id)],
);

const size = field(sizeField('replica set'), {
  shown: ({ cpuMillis, memoryGbs }) =>
    cpuMillis === undefined && memoryGbs === undefined ? undefined : { cpuMillis, memoryGbs },
  wanted({ object: { spec } }, shown) {
    const { cpuMillis, memoryGbs } = spec;
    const isSizeShown = shown.cpuMillis !== undefined && shown.memoryGbs !== undefined;
    return isSizeShown && cpuMillis !== undefined && memoryGbs !== undefined
      ? { cpuMillis, memoryGbs }
      : undefined;
  },
  operations: ['resizeReplicaSet'],
  change: (ids, wanted) => ({ operation: 'resizeReplicaSet', args: [...ids, sizeRequest(wanted)] }),
});

const environment = field(environmentField('replica set'), {
  shown: ({ metadata }) => metadata?.environment,
  wanted: ({ object }) => object.spec.environment,
  operations: ['setReplicaSetEnvironment'],
  change: (ids, wanted) => ({
    operation: 'setReplicaSetEnvironment',
    args: [...ids, { environment: wanted }],
  }),
});

const connectionPooler = field(connectionPoolerField('replica set'), {
  shown: showsPooler,
  wanted: ({ object }) => object.spec.connectionPooler?.enabled,
  operations: ['enableReplicaSetPooler', 'disableReplicaSetPooler'],
  change: (ids, isWanted) => ({
    operation: isWanted ? 'enableReplicaSetPooler' : 'disableReplicaSetPooler',
    args: [...ids],
  }),
});

/** The cloud refuses to change a replica set while its service is not READY. */
export const replicaSetChanges = [size, environment, connectionPooler].map((change) =>
  postponedUnless(
    change,
    ({ state, parent }) =>
      state === 'active' && parent.state !== 'waiting' && parent.state !== 'blocked',
  ),
);

const mirror = replicaSetStatus.shape.replicaSet.unwrap();

/** The resource as status shows it. A part that the reply lacks stays as it was before. */
export function mirrorOf(set: ReplicaSet, before: Mirror = {}): Mirror {
  const { endpoint: _endpoint, connectionPooler: pooler, status: _status, ...lasting } = before;
  const shown = {
    ...set,
    endpoint: keptEndpoint(set, before),
    connection_pooler: keptPooler(set.connection_pooler, pooler),
  };
  return readFields(mirror, inStatus(shown, lasting)).fields;
}
