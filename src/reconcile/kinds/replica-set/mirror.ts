import { replicaSet as wireReplicaSet, type ReplicaSet } from '../../../cloud/wire/replica-set.ts';
import type { ReplicaSetStatus } from '../../../resources/replica-set.ts';
import { asBefore } from '../../observe/as-before.ts';

export type Mirror = NonNullable<ReplicaSetStatus['replicaSet']>;

/** The replica set in status, with every documented field. Undefined means absent. */
export function mirrorOf(set: ReplicaSet): Mirror {
  return {
    name: set.name,
    nodes: set.nodes,
    cpuMillis: set.cpu_millis,
    memoryGbs: set.memory_gbs,
    endpoint: set.endpoint,
    connectionPooler: set.connection_pooler,
    metadata: set.metadata,
    status: set.status,
  };
}

/** A reply with its missing fields taken from the last status. Address, pooler and state are always taken from the reply. */
export function wholeReplicaSet(seen: ReplicaSet, shown: Mirror | undefined): ReplicaSet {
  if (!shown) return seen;
  const { name, nodes, cpuMillis, memoryGbs, metadata } = shown;
  return wireReplicaSet.parse(asBefore(seen, { name, nodes, cpu_millis: cpuMillis, memory_gbs: memoryGbs, metadata }));
}

/** The size as text: `1000m/4GB`; undefined when the cloud does not report it. */
export function sizeOf({ cpu_millis: cpuMillis, memory_gbs: memoryGbs }: ReplicaSet): string | undefined {
  return cpuMillis === undefined || memoryGbs === undefined ? undefined : `${cpuMillis}m/${memoryGbs}GB`;
}
