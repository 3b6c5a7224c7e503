import { projectId } from '../cloud/wire/account.ts';
import { type Service, serviceId } from '../cloud/wire/service.ts';
import { ApiError, conflict } from './api-error.ts';
import { type CreateServiceBody, type Handler, takes } from './handler.ts';
import { newNumericId, newSecret, newServiceId } from './names.ts';
import { deletionMs, type Project } from './project.ts';
import {
  change,
  changing,
  creating,
  passing,
  requireState,
  shown,
  shownAt,
  starting,
  stopping,
} from './service-lifecycle.ts';
import { create, find, list, remove } from './store.ts';

const defaultRegion = 'eu-central-1';
const sharedSize = { cpu: 500, memory: 2 };

type Asked = Pick<
  CreateServiceBody,
  'cpu_millis' | 'memory_gbs' | 'environment_tag' | 'replica_count'
>;

function firstValues(
  asked: Asked,
  size = sharedSize,
): Pick<Service, 'metadata' | 'resources' | 'ha_replicas'> {
  return {
    metadata: { environment: asked.environment_tag ?? 'DEV' },
    resources: resourcesOf(asked.cpu_millis, asked.memory_gbs, size),
    ha_replicas: { replica_count: asked.replica_count ?? 0, sync_replica_count: 0 },
  };
}

export const serviceHandlers = {
  listServices: ({ project, listTime }) =>
    list(project, 'service', listTime).map((service) => shownAt(project, service, listTime)),
  getService: ({ project, ids }) => shown(project, ids.service_id),
  createService: takes('CreateService', ({ project, body }) =>
    make(project, {
      name: body.name,
      region_code: body.region_code ?? defaultRegion,
      service_type: body.addons?.includes('time-series')
        ? 'TIMESERIESDB'
        : body.addons?.includes('ai')
          ? 'VECTOR'
          : 'POSTGRES',
      ...firstValues(body),
    }),
  ),
  forkService: takes('ForkService', ({ project, ids, body }) => {
    const parent = find(project, 'service', ids.service_id);
    requireState(parent, ['READY', 'PAUSED']);
    const { cpu_millis: cpu = sharedSize.cpu, memory_gbs: memory = sharedSize.memory } =
      parent.resources?.[0]?.spec ?? {};
    return make(project, {
      name: body.name ?? `${parent.name ?? ''}-fork`,
      region_code: parent.region_code,
      service_type: parent.service_type,
      forked_from: { is_standby: false, project_id: project.id, service_id: parent.service_id },
      ...firstValues(body, { cpu, memory }),
    });
  }),
  updateServicePassword: takes('UpdatePassword', ({ project, ids: { service_id: id }, body }) => {
    requireState(find(project, 'service', id), ['READY']);
    const stored = project.stores.service.get(id);
    if (stored) stored.password = body.password;
  }),
  deleteService({ project, ids: { service_id: id } }) {
    if (find(project, 'service', id).status === 'DELETING')
      throw conflict(`service ${id} is being deleted already`);
    const replicas = list(project, 'replicaSet', project.clock.now(), id).length;
    if (replicas > 0)
      throw conflict(`service ${id} has ${replicas} read replica sets: delete them first`);
    remove(project, 'service', id, { status: 'DELETING', afterMs: deletionMs(project) });
  },

  startService: change({ allowedIn: ['PAUSED'], through: starting }),
  stopService: change({ through: stopping }),
  attachServiceToVpc: takes(
    'ServiceVpc',
    change({
      check(service, { vpc_id: vpc }, project) {
        const { region_code: region } = find(project, 'vpc', vpc);
        if (project.offers && region !== service.region_code)
          throw new ApiError(
            400,
            'invalid_argument',
            `vpc_id: VPC ${vpc} is in ${region}, and the service in ${service.region_code}`,
          );
        const attached = vpcOf(service);
        if (attached !== undefined)
          throw conflict(`service ${service.service_id} is attached to VPC ${attached} already`);
      },
      through: changing,
      done: (service, { vpc_id: vpc }) => ({
        ...service,
        vpcEndpoint: { host: `${service.service_id}.vpc.db.example`, port: 5432, vpc_id: vpc },
      }),
    }),
  ),
  detachServiceFromVpc: takes(
    'ServiceVpc',
    change({
      check(service, { vpc_id: vpc }) {
        if (vpcOf(service) !== vpc)
          throw conflict(`service ${service.service_id} is not attached to VPC ${vpc}`);
      },
      through: changing,
      done: ({ vpcEndpoint: _detached, ...service }) => service,
    }),
  ),
  resizeService: takes(
    'Resize',
    change({
      through: changing,
      done: (service, size) => ({
        ...service,
        resources: resourcesOf(size.cpu_millis, size.memory_gbs, sharedSize),
      }),
    }),
  ),
  setServiceHighAvailability: takes(
    'SetHighAvailability',
    change({
      through: changing,
      done: (service, replicas) => ({
        ...service,
        ha_replicas: { ...service.ha_replicas, ...replicas },
      }),
    }),
  ),
  enableServicePooler: change({
    done: (service) => ({
      ...service,
      connection_pooler: {
        endpoint: { host: `${service.service_id}.pooler.db.example`, port: 6432 },
      },
    }),
  }),
  disableServicePooler: change({ done: ({ connection_pooler: _off, ...service }) => service }),
  setServiceEnvironment: takes(
    'SetEnvironment',
    change({ done: (service, metadata) => ({ ...service, metadata }) }),
  ),
} as const satisfies Readonly<Record<string, Handler>>;

function make(project: Project, content: Omit<Service, 'service_id'>): Service {
  const id = serviceId.parse(newServiceId());
  const password = newSecret();
  const reached = { endpoint: { host: `${id}.db.example`, port: 5432 } };
  const first: Service = {
    service_id: id,
    project_id: projectId.parse(project.id),
    created: new Date(project.clock.now()).toISOString(),
    ...content,
    ...(project.endpointAtOnce ? reached : {}),
    status: 'QUEUED',
  };
  const steps = passing(creating, project.latencyMs, (made) => ({ ...made, ...reached }));
  return {
    ...create(project, 'service', { id, first, steps, name: content.name, password }),
    initial_password: password,
  };
}

/** The simulator shows it as `{host, port, vpc_id}`. */
export function vpcOf({ vpcEndpoint }: Pick<Service, 'vpcEndpoint'>): string | undefined {
  const isObject =
    typeof vpcEndpoint === 'object' && vpcEndpoint !== null && 'vpc_id' in vpcEndpoint;
  return isObject && typeof vpcEndpoint.vpc_id === 'string' ? vpcEndpoint.vpc_id : undefined;
}

function resourcesOf(
  cpu: string | undefined,
  memory: string | undefined,
  otherwise: typeof sharedSize,
): Service['resources'] {
  const isOdd = (cpu === 'shared') !== (memory === 'shared');
  if (isOdd)
    throw new ApiError(
      400,
      'invalid_argument',
      'cpu_millis and memory_gbs must both be shared or both be numbers',
    );
  const cpuMillis = sizeFrom(cpu, sharedSize.cpu, otherwise.cpu);
  const memoryGbs = sizeFrom(memory, sharedSize.memory, otherwise.memory);
  return [
    {
      id: newNumericId(),
      spec: { cpu_millis: cpuMillis, memory_gbs: memoryGbs, volume_type: 'gp3' },
    },
  ];
}

function sizeFrom(text: string | undefined, shared: number, otherwise: number): number {
  if (text === undefined) return otherwise;
  return text === 'shared' ? shared : Number(text);
}
