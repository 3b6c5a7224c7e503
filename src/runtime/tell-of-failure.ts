import { isAway, KubernetesError } from './kubernetes-error.ts';
import type { Log } from './log.ts';
import type { ObjectReference } from './object-reference.ts';

/** A visit that came to nothing. Only a mistake of ours has a trace that helps anybody: what the API server said is all there is to know of that. */
export function tellOfFailure(log: Log, object: ObjectReference, error: unknown, retryInMs: number): void {
  const more = { object, retryInMs: Math.round(retryInMs) };
  if (error instanceof KubernetesError) {
    log[isAway(error) ? 'debug' : 'warn']({ ...more, error: error.message }, 'a visit failed; it is tried again');
    return;
  }
  log.error({ ...more, error }, 'a visit failed; it is tried again');
}
