import { isAway, KubernetesError } from './kubernetes-error.ts';
import type { Log } from './log.ts';
import type { ObjectReference } from './object-reference.ts';

/** Only a bug is logged with its stack trace: the message of an API server's error says everything. */
export function logFailure(log: Log, object: ObjectReference, error: unknown, retryInMs: number): void {
  const more = { object, retryInMs: Math.round(retryInMs) };
  if (error instanceof KubernetesError) {
    log[isAway(error) ? 'debug' : 'warn']({ ...more, error: error.message }, 'a visit failed; it is tried again');
    return;
  }
  log.error({ ...more, error }, 'a visit failed; it is tried again');
}
