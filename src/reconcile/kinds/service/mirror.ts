import { service as wireService, type Service } from '../../../cloud/wire/service.ts';
import type { ManagedServiceStatus } from '../../../resources/managed-service.ts';
import { asBefore } from '../../observe/as-before.ts';
import { vpcEndpointOf } from './vpc-endpoint.ts';

export type Mirror = NonNullable<ManagedServiceStatus['service']>;

/** What status shows of a service: every documented field but the password, the replica sets and the usage figures. Undefined is absent. */
export function mirrorOf(service: Service): Mirror {
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
    metadata: service.metadata,
    resources: service.resources?.map(({ id, spec }) => ({
      id,
      spec: spec && { cpuMillis: spec.cpu_millis, memoryGbs: spec.memory_gbs, volumeType: spec.volume_type },
    })),
    vpcEndpoint: vpcEndpointMirror(service),
  };
}

/** A reply, with what it lacks as the last status showed it. Addresses, pooler and state are as the reply says, also where it says nothing. */
export function wholeService(seen: Service, shown: Mirror | undefined): Service {
  if (!shown) return seen;
  const { forkedFrom: origin, haReplicas: replicas } = shown;
  const before = {
    name: shown.name,
    created: shown.created,
    region_code: shown.regionCode,
    service_type: shown.serviceType,
    forked_from: origin && { is_standby: origin.isStandby, project_id: origin.projectId, service_id: origin.serviceId },
    ha_replicas: replicas && { replica_count: replicas.replicaCount, sync_replica_count: replicas.syncReplicaCount },
    metadata: shown.metadata,
    resources: shown.resources?.map(({ id, spec }) => ({
      id,
      spec: spec && { cpu_millis: spec.cpuMillis, memory_gbs: spec.memoryGbs, volume_type: spec.volumeType },
    })),
  };
  return wireService.parse(asBefore(seen, before));
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

/** States that a service has only after it was READY. */
const afterReady: ReadonlySet<string> = new Set([
  'READY',
  'PAUSING',
  'PAUSED',
  'RESUMING',
  'UPGRADING',
  'OPTIMIZING',
  'UNSTABLE',
  'DELETING',
  'DELETED',
]);

/** Whether the state alone says that the service was READY once. One that is CONFIGURING may be on its way there. */
export function isAfterReady(state: string | undefined): boolean {
  return afterReady.has(state ?? '');
}
