import { KubernetesError, type Log } from '../runtime/index.ts';

/** Whether the API server could not be reached at all: that is told once for all, by its outage. */
export function isAway(error: unknown): boolean {
  return error instanceof KubernetesError && error.kind === 'network';
}

/** A visit that came to nothing. Only a mistake of ours has a trace that helps anybody: what the API server said is all there is to know of that. */
export function tellOfFailure(log: Log, object: string, error: unknown, retryInMs: number): void {
  const more = { object, retryInMs: Math.round(retryInMs) };
  if (error instanceof KubernetesError) {
    log[isAway(error) ? 'debug' : 'warn']({ ...more, error: error.message }, 'a visit failed; it is tried again');
    return;
  }
  log.error({ ...more, error }, 'a visit failed; it is tried again');
}
