import type { Service, ServiceState } from '../cloud/wire/service.ts';
import { conflict, notFound } from './api-error.ts';
import { takes, type Incoming } from './handler.ts';
import type { Project } from './project.ts';
import { changing, passing, requireState, starting, stopping, type Passage } from './service-lifecycle.ts';
import { getService, resourcesOf, sharedSize, stored, vpcOf } from './services.ts';

/** A change of a service, as its body asks for it. */
interface Change<Body> {
  /** Any other state is answered with 409. Default: READY. */
  readonly allowedIn?: readonly ServiceState[];
  /** The states of the service during the change. Default: the change shows at once. */
  readonly through?: Passage;
  /** @throws {ApiError} for a body that this service cannot take */
  readonly check?: (service: Service, body: Body, project: Project) => void;
  /** The service after the change. Default: only its state has changed. */
  readonly done?: (service: Service, body: Body) => Service;
}

function change<Body>({ allowedIn = ['READY'], through, check, done = (service) => service }: Change<Body>) {
  return ({ project, ids: { service_id: id }, body }: Incoming<Body>): Service => {
    const service = getService(project, id);
    check?.(service, body, project);
    requireState(service, allowedIn);
    const apply = (before: Service) => done(before, body);
    const steps = through ? passing(through, project.latencyMs, apply) : [{ afterMs: 0, change: apply }];
    stored(project, id).timeline.plan(project.clock.now(), steps);
    return getService(project, id);
  };
}

/** All operations that change a service and nothing else. */
export const serviceChanges = {
  startService: change({ allowedIn: ['PAUSED'], through: starting }),
  stopService: change({ through: stopping }),
  attachServiceToVpc: takes(
    'ServiceVpc',
    change({
      check(service, { vpc_id: vpc }, project) {
        if (!project.vpcs.get(vpc)?.at(project.clock.now())) throw notFound('VPC', vpc);
        const attached = vpcOf(service);
        if (attached !== undefined) throw conflict(`service ${service.service_id} is attached to VPC ${attached} already`);
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
        if (vpcOf(service) !== vpc) throw conflict(`service ${service.service_id} is not attached to VPC ${vpc}`);
      },
      through: changing,
      done: ({ vpcEndpoint: _detached, ...service }) => service,
    }),
  ),
  resizeService: takes(
    'Resize',
    change({
      through: changing,
      done: (service, size) => ({ ...service, resources: resourcesOf(size.cpu_millis, size.memory_gbs, sharedSize) }),
    }),
  ),
  setServiceHighAvailability: takes(
    'SetHighAvailability',
    change({ through: changing, done: (service, replicas) => ({ ...service, ha_replicas: { ...service.ha_replicas, ...replicas } }) }),
  ),
  enableServicePooler: change({
    done: (service) => ({ ...service, connection_pooler: { endpoint: { host: `${service.service_id}.pooler.db.example`, port: 6432 } } }),
  }),
  disableServicePooler: change({ done: ({ connection_pooler: _off, ...service }) => service }),
  setServiceEnvironment: takes('SetEnvironment', change({ done: (service, metadata) => ({ ...service, metadata }) })),
};
