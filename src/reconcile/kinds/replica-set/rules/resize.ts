import { replicaSetId, serviceId } from '../../../../cloud/wire/ids.ts';
import { changeTo, type ChangeRule } from '../../../decide/pending-change.ts';
import type { ReplicaSetSituation } from '../situation.ts';
import { replicaSetOf } from '../state.ts';

/** Moves a replica set to the size in the spec. */
export const resize: ChangeRule<ReplicaSetSituation> = (situation) => {
  const { object, identity, record } = situation;
  const { cpu_millis: cpuMillis, memory_gbs: memoryGbs } = replicaSetOf(situation) ?? {};
  const { spec } = object;
  if (spec.cpuMillis === undefined || spec.memoryGbs === undefined) return undefined;
  if (cpuMillis === undefined || memoryGbs === undefined || identity.state !== 'known' || !record.parentServiceId) return undefined;
  if (spec.cpuMillis === cpuMillis && spec.memoryGbs === memoryGbs) return undefined;
  const from = `${cpuMillis}m/${memoryGbs}GB`;
  const wanted = `${spec.cpuMillis}m/${spec.memoryGbs}GB`;
  return changeTo(situation, {
    name: 'size',
    field: 'cpuMillis/memoryGbs',
    change: {
      operation: 'resizeReplicaSet',
      parentId: serviceId.parse(record.parentServiceId),
      id: replicaSetId.parse(identity.id),
      size: { cpu_millis: String(spec.cpuMillis), memory_gbs: String(spec.memoryGbs) },
    },
    from,
    wanted,
    reason: 'Resizing',
    words: `resizing from ${from} to ${wanted}`,
  });
};
