import { differs, text } from '../differs.ts';
import type { ServiceSituation } from './situation.ts';
import { serviceOf } from './state.ts';
import { vpcEndpointOf } from './vpc-endpoint.ts';

/** A field of the spec that the cloud does not meet. */
export interface Difference {
  readonly field: string;
  readonly wanted: string;
  readonly actual: string;
}

/** Where the spec names a value and the cloud shows another. What the spec leaves out, and what the cloud does not say, is no difference. Pure. */
export function differences(situation: ServiceSituation): readonly Difference[] {
  const { object, vpc, secret, record } = situation;
  const { spec } = object;
  const service = serviceOf(situation);
  if (!service) return [];
  const size = service.resources?.[0]?.spec;
  const attached = vpcEndpointOf(service);
  const attachedTo = attached.state === 'attached' ? attached.endpoint.vpc_id : undefined;
  return [
    compare('spec.cpuMillis', numeric(spec.cpuMillis), size?.cpu_millis),
    compare('spec.memoryGbs', numeric(spec.memoryGbs), size?.memory_gbs),
    compare('spec.environment', spec.environment, service.metadata?.environment),
    compare('spec.powerState', spec.powerState, service.status === 'PAUSED' ? 'Stopped' : 'Running'),
    compare('spec.highAvailability.replicaCount', spec.highAvailability?.replicaCount, service.ha_replicas?.replica_count ?? 0),
    compare(
      'spec.highAvailability.syncReplicaCount',
      spec.highAvailability?.syncReplicaCount,
      service.ha_replicas?.sync_replica_count ?? 0,
    ),
    compare('spec.connectionPooler.enabled', spec.connectionPooler?.enabled, service.connection_pooler?.endpoint !== undefined),
    compare('the VPC', vpc.state === 'found' ? vpc.id : undefined, attachedTo),
    vpc.state === 'none' && attachedTo !== undefined && record.vpcAttachment === attachedTo
      ? { field: 'the VPC', wanted: 'none', actual: attachedTo }
      : undefined,
    compare('spec.connectionSecret.name', object.spec.connectionSecret?.name, secret.name),
    spec.password === undefined ? undefined : { field: 'spec.password', wanted: 'another password', actual: 'the one in the Secret' },
  ].filter((difference) => difference !== undefined);
}

function compare(field: string, wanted: unknown, actual: unknown): Difference | undefined {
  return differs(wanted, actual) ? { field, wanted: text(wanted), actual: text(actual) } : undefined;
}

function numeric(size: number | 'shared' | undefined): number | undefined {
  return size === 'shared' ? undefined : size;
}
