import { replicaSetId, serviceId } from '../../../../cloud/wire/ids.ts';
import { changeTo, type ChangeRule } from '../../../decide/pending-change.ts';
import type { ReplicaSetSituation } from '../situation.ts';
import { replicaSetOf } from '../state.ts';

/** Switches the connection pooler on or off, as the spec says. */
export const connectionPooler: ChangeRule<ReplicaSetSituation> = (situation) => {
  const { object, identity, record } = situation;
  const set = replicaSetOf(situation);
  const enabled = object.spec.connectionPooler?.enabled;
  const isEnabled = set?.connection_pooler?.endpoint !== undefined;
  if (!set || enabled === undefined || enabled === isEnabled || identity.state !== 'known' || !record.parentServiceId) return undefined;
  return changeTo(situation, {
    name: 'connection pooler',
    field: 'connectionPooler.enabled',
    change: {
      operation: enabled ? 'enableReplicaSetPooler' : 'disableReplicaSetPooler',
      parentId: serviceId.parse(record.parentServiceId),
      id: replicaSetId.parse(identity.id),
    },
    from: isEnabled ? 'enabled' : 'disabled',
    wanted: enabled ? 'enabled' : 'disabled',
    reason: 'ConfiguringPooler',
    words: enabled ? 'enabling the connection pooler' : 'disabling the connection pooler',
  });
};
