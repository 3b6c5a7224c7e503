import { projectId, serviceId, type ServiceId } from '../cloud/wire/ids.ts';
import type { Service } from '../cloud/wire/service.ts';
import { ApiError, conflict, notFound } from './api-error.ts';
import { newNumericId, newSecret, newServiceId } from './names.ts';
import { deletionMs, present, remember, replicaSetsOf, type Project, type StoredService } from './project.ts';
import type { CreateServiceBody, ForkServiceBody } from './request-bodies.ts';
import { creating, passing, requireState } from './service-lifecycle.ts';
import { timeline } from './timeline.ts';

const defaultRegion = 'eu-central-1';
export const sharedSize = { cpu: 500, memory: 2 };

export function listServices(project: Project, time: number): readonly Service[] {
  const services = present(project.services.values(), time);
  return services.map((service) => shown(project, service, time));
}

export function getService(project: Project, id: string): Service {
  const service = stored(project, id).timeline.at(project.clock.now());
  if (!service) throw notFound('service', id);
  return shown(project, service, project.clock.now());
}

export function createService(project: Project, body: CreateServiceBody): Service {
  return make(project, {
    name: body.name,
    region_code: body.region_code ?? defaultRegion,
    service_type: body.addons?.includes('time-series') ? 'TIMESERIESDB' : body.addons?.includes('ai') ? 'VECTOR' : 'POSTGRES',
    metadata: { environment: body.environment_tag ?? 'DEV' },
    resources: resourcesOf(body.cpu_millis, body.memory_gbs, sharedSize),
    ha_replicas: { replica_count: body.replica_count ?? 0, sync_replica_count: 0 },
  });
}

export function forkService(project: Project, id: string, body: ForkServiceBody): Service {
  const parent = getService(project, id);
  requireState(parent, ['READY', 'PAUSED']);
  const size = parent.resources?.[0]?.spec;
  return make(project, {
    name: body.name ?? `${parent.name ?? ''}-fork`,
    region_code: parent.region_code,
    service_type: parent.service_type,
    metadata: { environment: body.environment_tag ?? 'DEV' },
    resources: resourcesOf(body.cpu_millis, body.memory_gbs, {
      cpu: size?.cpu_millis ?? sharedSize.cpu,
      memory: size?.memory_gbs ?? sharedSize.memory,
    }),
    ha_replicas: { replica_count: 0, sync_replica_count: 0 },
    forked_from: { is_standby: false, project_id: project.id, service_id: parent.service_id },
  });
}

export function updatePassword(project: Project, id: string, password: string): void {
  requireState(getService(project, id), ['READY']);
  stored(project, id).password = password;
}

export function deleteService(project: Project, id: string): void {
  const now = project.clock.now();
  const service = getService(project, id);
  if (service.status === 'DELETING') throw conflict(`service ${id} is being deleted already`);
  const replicas = replicaSetsOf(project, id, now).length;
  if (replicas > 0) throw conflict(`service ${id} has ${replicas} read replica sets: delete them first`);
  stored(project, id).timeline.plan(now, [
    { afterMs: 0, change: (before) => ({ ...before, status: 'DELETING' }) },
    { afterMs: deletionMs(project), change: () => undefined },
  ]);
  markDeleted(project, id, now + deletionMs(project));
}

/** The service that holds this VPC: attached, or being attached or detached. */
export function isAttachedTo(project: Project, vpcId: string): string | undefined {
  const now = project.clock.now();
  const holds = (service: Service | undefined) => service !== undefined && vpcOf(service) === vpcId;
  return [...project.services.keys()].find((id) => {
    const { timeline: planned } = stored(project, id);
    return planned.at(now) !== undefined && (holds(planned.at(now)) || holds(planned.at(Number.POSITIVE_INFINITY)));
  });
}

/** @param at undefined: the deletion is cancelled */
export function markDeleted(project: Project, id: string, at: number | undefined): void {
  const created = project.everCreated.findLast((each) => each.id === id);
  if (created) created.deletedAt = at === undefined ? undefined : new Date(at).toISOString();
}

/** The VPC in the vpcEndpoint of a service, which the simulator shows as `{host, port, vpc_id}`. */
export function vpcOf({ vpcEndpoint }: Service): string | undefined {
  const isObject = typeof vpcEndpoint === 'object' && vpcEndpoint !== null && 'vpc_id' in vpcEndpoint;
  return isObject && typeof vpcEndpoint.vpc_id === 'string' ? vpcEndpoint.vpc_id : undefined;
}

function make(project: Project, content: Omit<Service, 'service_id'>): Service {
  const now = project.clock.now();
  const id: ServiceId = serviceId.parse(newServiceId());
  const password = newSecret();
  const reached = { endpoint: { host: `${id}.db.example`, port: 5432 } };
  const service: Service = {
    service_id: id,
    project_id: projectId.parse(project.id),
    created: new Date(now).toISOString(),
    ...content,
    ...(project.endpointAtOnce ? reached : {}),
    status: 'QUEUED',
  };
  const kept = { timeline: timeline(now, service), password };
  project.services.set(id, kept);
  kept.timeline.plan(
    now,
    passing(creating, project.latencyMs, (made) => ({ ...made, ...reached })),
  );
  remember(project, 'service', id, content.name);
  return { ...(kept.timeline.at(now) ?? service), initial_password: password };
}

export function stored(project: Project, id: string): StoredService {
  const service = project.services.get(id);
  if (!service) throw notFound('service', id);
  return service;
}

function shown(project: Project, service: Service, time: number): Service {
  const seen = { ...service, metrics: usage() };
  return project.includeReplicaSets ? { ...seen, read_replica_sets: [...replicaSetsOf(project, service.service_id, time)] } : seen;
}

/** Different at every read, as in the real cloud. */
function usage(): Service['metrics'] {
  return {
    memory_mb: Math.round(Math.random() * 1_000),
    milli_cpu: Math.round(Math.random() * 500),
    storage_mb: Math.round(Math.random() * 10_000),
  };
}

export function resourcesOf(
  cpu: string | undefined,
  memory: string | undefined,
  otherwise: { cpu: number; memory: number },
): Service['resources'] {
  const isOdd = (cpu === 'shared') !== (memory === 'shared');
  if (isOdd) throw new ApiError(400, 'invalid_argument', 'cpu_millis and memory_gbs must both be shared or both be numbers');
  return [
    {
      id: newNumericId(),
      spec: {
        cpu_millis: sizeFrom(cpu, sharedSize.cpu, otherwise.cpu),
        memory_gbs: sizeFrom(memory, sharedSize.memory, otherwise.memory),
        volume_type: 'gp3',
      },
    },
  ];
}

function sizeFrom(text: string | undefined, shared: number, otherwise: number): number {
  if (text === undefined) return otherwise;
  return text === 'shared' ? shared : Number(text);
}
