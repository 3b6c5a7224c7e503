import type { ManagedServiceStatus } from '../../../resources/managed-service.ts';
import { replicasText } from './mirror.ts';

/** What somebody may change on a service elsewhere, by the name of the field in the spec. */
export function driftFields(status: Partial<ManagedServiceStatus>): Readonly<Record<string, unknown>> {
  const { service, state, vpcId } = status;
  const size = service?.resources?.[0]?.spec;
  if (!service) return {};
  return {
    powerState: state === 'PAUSED' ? 'Stopped' : 'Running',
    'cpuMillis/memoryGbs': size?.cpuMillis === undefined ? undefined : `${size.cpuMillis}m/${size.memoryGbs ?? ''}GB`,
    environment: service.metadata?.environment ?? 'none',
    highAvailability: replicasText(service.haReplicas?.replicaCount ?? 0, service.haReplicas?.syncReplicaCount ?? 0),
    'connectionPooler.enabled': service.connectionPooler?.endpoint !== undefined,
    vpc: vpcId ?? 'none',
  };
}
