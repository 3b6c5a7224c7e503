import type { Service, ServiceState } from '../cloud/wire/service.ts';
import { conflict } from './api-error.ts';
import type { Step } from './timeline.ts';

/** The states in which each change of a service is allowed; any other state is answered with 409. */
const allowedIn = {
  start: ['PAUSED'],
  stop: ['READY'],
  attachToVPC: ['READY'],
  detachFromVPC: ['READY'],
  resize: ['READY'],
  setHA: ['READY'],
  setEnvironment: ['READY'],
  enablePooler: ['READY'],
  disablePooler: ['READY'],
  updatePassword: ['READY'],
  forkService: ['READY', 'PAUSED'],
  createReplicaSet: ['READY'],
} as const satisfies Record<string, readonly ServiceState[]>;

export type ServiceChange = keyof typeof allowedIn;

/** @throws {ApiError} 409 when the state does not allow it */
export function requireState(service: Service, change: ServiceChange): void {
  const allowed: readonly string[] = allowedIn[change];
  if (allowed.includes(service.status ?? '')) return;
  throw conflict(`${change} needs a service that is ${allowed.join(' or ')}; ${service.service_id} is ${service.status}`);
}

/** The states of a service during a change. The last step also applies the change itself. */
export function passing(
  states: readonly [ServiceState, number][],
  latencyMs: number,
  done: (service: Service) => Service,
): Step<Service>[] {
  const steps = states.map(([status, share]): Step<Service> => ({
    afterMs: share * latencyMs,
    change: (service) => ({ ...service, status }),
  }));
  const last = steps.pop();
  return last ? [...steps, { afterMs: last.afterMs, change: (service) => done(last.change(service) ?? service) }] : [];
}

/** The states of a change, each with the share of the latency at which it begins. */
export const creating: readonly [ServiceState, number][] = [
  ['QUEUED', 0],
  ['CONFIGURING', 0.2],
  ['READY', 1],
];
export const changing: readonly [ServiceState, number][] = [
  ['CONFIGURING', 0],
  ['READY', 1],
];
export const starting: readonly [ServiceState, number][] = [
  ['RESUMING', 0],
  ['READY', 1],
];
export const stopping: readonly [ServiceState, number][] = [
  ['PAUSING', 0],
  ['PAUSED', 1],
];
