import { replicaSetId, serviceId } from '../../../../cloud/wire/ids.ts';
import { changeTo, type ChangeRule } from '../../../decide/pending-change.ts';
import type { ReplicaSetSituation } from '../situation.ts';
import { replicaSetOf } from '../state.ts';

/** Sets the environment tag to that of the spec. */
export const environment: ChangeRule<ReplicaSetSituation> = (situation) => {
  const { object, identity, record } = situation;
  const set = replicaSetOf(situation);
  const wanted = object.spec.environment;
  const from = set?.metadata?.environment ?? 'none';
  if (!set || wanted === undefined || wanted === from || identity.state !== 'known' || !record.parentServiceId) return undefined;
  return changeTo(situation, {
    name: 'environment',
    field: 'environment',
    change: {
      operation: 'setReplicaSetEnvironment',
      parentId: serviceId.parse(record.parentServiceId),
      id: replicaSetId.parse(identity.id),
      environment: wanted,
    },
    from,
    wanted,
    reason: 'SettingEnvironment',
    words: `setting the environment from ${from} to ${wanted}`,
  });
};
