import type { ReplicaSet } from '../../../cloud/wire/replica-set.ts';
import type { ReplicaSetSituation } from './situation.ts';

export function replicaSetOf({ cloud }: ReplicaSetSituation): ReplicaSet | undefined {
  return cloud.state === 'present' ? cloud.resource : undefined;
}

/** The state in the cloud's own word, also an unknown one. */
export function stateOf(situation: ReplicaSetSituation): string | undefined {
  return replicaSetOf(situation)?.status;
}

/** The environment that decides about deletion protection: that of the spec, otherwise the actual one. */
export function environmentOf(situation: ReplicaSetSituation): string | undefined {
  const { spec, status } = situation.object;
  return spec.environment ?? replicaSetOf(situation)?.metadata?.environment ?? status?.replicaSet?.metadata?.environment;
}
