import type { Service, ServiceState } from '../cloud/wire/service.ts';
import { conflict } from './api-error.ts';
import type { Incoming } from './handler.ts';
import type { Project } from './project.ts';
import { change as replan, find, list } from './store.ts';
import type { Step } from './timeline.ts';

/** @throws {ApiError} 404 */
export function shown(project: Project, id: string): Service {
  return shownAt(project, find(project, 'service', id), project.clock.now());
}

/** A service as the API shows it: with its replica sets at a time, and with figures that differ at every read. */
export function shownAt(project: Project, service: Service, time: number): Service {
  const seen = { metrics: usage(), ...service };
  return project.includeReplicaSets
    ? {
        ...seen,
        read_replica_sets: [...list(project, 'replicaSet', time, service.service_id ?? '')],
      }
    : seen;
}

function usage(): Service['metrics'] {
  return {
    memory_mb: Math.round(Math.random() * 1_000),
    milli_cpu: Math.round(Math.random() * 500),
    storage_mb: Math.round(Math.random() * 10_000),
  };
}

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

export function change<Body>({
  allowedIn = ['READY'],
  through,
  check,
  done = (service) => service,
}: Change<Body>) {
  return ({ project, ids: { service_id: id }, body }: Incoming<Body>): Service => {
    const service = find(project, 'service', id);
    check?.(service, body, project);
    requireState(service, allowedIn);
    const apply = (before: Service) => done(before, body);
    replan(
      project,
      'service',
      id,
      through ? passing(through, project.latencyMs, apply) : [{ afterMs: 0, change: apply }],
    );
    return shown(project, id);
  };
}

/** @throws {ApiError} 409 in any state that is not allowed */
export function requireState(
  { service_id: id, status = '' }: Service,
  allowed: readonly string[],
): void {
  if (!allowed.includes(status))
    throw conflict(`service ${id} is ${status}, and this needs ${allowed.join(' or ')}`);
}

/** States, each with the share of the latency at which it begins. */
export type Passage = readonly (readonly [ServiceState, number])[];

/** The states of a service during a change. The last step also applies the change itself. */
export function passing(
  states: Passage,
  latencyMs: number,
  done: (service: Service) => Service,
): Step<Service>[] {
  const steps = states.map(([status, share]): Step<Service> => ({
    afterMs: share * latencyMs,
    change: (service) => ({ ...service, status }),
  }));
  const last = steps.pop();
  return last
    ? [
        ...steps,
        { afterMs: last.afterMs, change: (service) => done(last.change(service) ?? service) },
      ]
    : [];
}

export const creating: Passage = [
  ['QUEUED', 0],
  ['CONFIGURING', 0.2],
  ['READY', 1],
];
export const changing: Passage = [
  ['CONFIGURING', 0],
  ['READY', 1],
];
export const starting: Passage = [
  ['RESUMING', 0],
  ['READY', 1],
];
export const stopping: Passage = [
  ['PAUSING', 0],
  ['PAUSED', 1],
];
