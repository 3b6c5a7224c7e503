import { serviceId } from '../../../../cloud/wire/ids.ts';
import { changeTo, type ChangeRule } from '../../../decide/pending-change.ts';
import { replicasText } from '../mirror.ts';
import type { ServiceSituation } from '../situation.ts';
import { serviceOf } from '../state.ts';
import { runningOnly } from './running-only.ts';

/** Brings the high-availability replicas to the numbers in the spec; one that is left out stays as it is. */
export const highAvailability: ChangeRule<ServiceSituation> = runningOnly((situation) => {
  const { object, identity } = situation;
  const service = serviceOf(situation);
  const asked = object.spec.highAvailability;
  if (!service || !asked || identity.state !== 'known') return undefined;
  const { replica_count: replicas = 0, sync_replica_count: synchronous = 0 } = service.ha_replicas ?? {};
  const { replicaCount = replicas, syncReplicaCount = synchronous } = asked;
  if (replicaCount === replicas && syncReplicaCount === synchronous) return undefined;
  const from = replicasText(replicas, synchronous);
  const wanted = replicasText(replicaCount, syncReplicaCount);
  return changeTo(situation, {
    name: 'high availability',
    field: 'highAvailability',
    change: {
      operation: 'setServiceHighAvailability',
      id: serviceId.parse(identity.id),
      replicas: {
        ...(asked.replicaCount === undefined ? {} : { replica_count: asked.replicaCount }),
        ...(asked.syncReplicaCount === undefined ? {} : { sync_replica_count: asked.syncReplicaCount }),
      },
    },
    from,
    wanted,
    reason: 'ConfiguringHighAvailability',
    words: `changing the high-availability replicas from ${from} to ${wanted}`,
  });
});
