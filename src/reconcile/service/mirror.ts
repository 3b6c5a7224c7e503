import type { Service } from '../../cloud/wire/service.ts';
import type { ManagedServiceStatus } from '../../resources/managed-service.ts';
import { vpcEndpointOf } from './vpc-endpoint.ts';

type Mirror = NonNullable<ManagedServiceStatus['service']>;

/**
 * What status shows of a service: every documented field but the password, the replica sets and the usage figures. Undefined is absent.
 * @param before the tags that were shown before: a reply that leaves them out does not take the protection of a PROD database away
 */
export function mirrorOf(service: Service, before: Mirror['metadata']): Mirror {
  const { endpoint, connection_pooler: pooler, forked_from: origin, ha_replicas: replicas } = service;
  return {
    name: service.name,
    created: service.created,
    regionCode: service.region_code,
    serviceType: service.service_type,
    status: service.status,
    endpoint: endpoint,
    connectionPooler: pooler,
    forkedFrom: origin && { isStandby: origin.is_standby, projectId: origin.project_id, serviceId: origin.service_id },
    haReplicas: replicas && { replicaCount: replicas.replica_count, syncReplicaCount: replicas.sync_replica_count },
    metadata: service.metadata ?? before,
    resources: service.resources?.map(({ id, spec }) => ({
      id,
      spec: spec && { cpuMillis: spec.cpu_millis, memoryGbs: spec.memory_gbs, volumeType: spec.volume_type },
    })),
    vpcEndpoint: vpcEndpointMirror(service),
  };
}

function vpcEndpointMirror(service: Service): unknown {
  const seen = vpcEndpointOf(service);
  if (seen.state === 'detached') return undefined;
  if (seen.state === 'unrecognised') return service.vpcEndpoint;
  return { host: seen.endpoint.host, port: seen.endpoint.port, vpcId: seen.endpoint.vpc_id };
}

/** `2000m/8GB`; undefined when the cloud does not say. */
export function sizeOf(service: Service): string | undefined {
  const size = service.resources?.[0]?.spec;
  if (size?.cpu_millis === undefined || size.memory_gbs === undefined) return undefined;
  return `${size.cpu_millis}m/${size.memory_gbs}GB`;
}

/** `2 (1 synchronous)` */
export function replicasText(replicas: number, synchronous: number): string {
  return `${replicas} (${synchronous} synchronous)`;
}
