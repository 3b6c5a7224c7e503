import type { Service, ServiceState } from '../cloud/wire/service.ts';
import { conflict } from './api-error.ts';
import type { Step } from './timeline.ts';

/** @throws {ApiError} 409 in any state that is not allowed */
export function requireState({ service_id: id, status = '' }: Service, allowed: readonly string[]): void {
  if (!allowed.includes(status)) throw conflict(`service ${id} is ${status}, and this needs one that is ${allowed.join(' or ')}`);
}

/** States, each with the share of the latency at which it begins. */
export type Passage = readonly (readonly [ServiceState, number])[];

/** The states of a service during a change. The last step also applies the change itself. */
export function passing(states: Passage, latencyMs: number, done: (service: Service) => Service): Step<Service>[] {
  const steps = states.map(([status, share]): Step<Service> => ({
    afterMs: share * latencyMs,
    change: (service) => ({ ...service, status }),
  }));
  const last = steps.pop();
  return last ? [...steps, { afterMs: last.afterMs, change: (service) => done(last.change(service) ?? service) }] : [];
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
