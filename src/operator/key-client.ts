import type { Dispatcher } from 'undici';
import type { CallPriority, CloudOperation } from '../cloud/cloud-api.ts';
import { cloudClient, type CallObservation } from '../cloud/cloud-client.ts';
import type { Egress } from '../cloud/egress.ts';
import { operations } from '../cloud/wire/all.ts';
import { rateLimiter, type RateLimiter } from '../cloud/rate-limiter.ts';
import type { KeyClient } from '../reconcile/credentials/accounts.ts';
import { currentVisit, type Clock, type Log } from '../runtime/index.ts';

export interface KeyClientOptions {
  readonly cloudUrl: URL;
  readonly egress?: Egress | undefined;
  readonly rateLimit: { readonly perSecond: number; readonly burst: number };
  readonly clock: Clock;
  readonly intercept: Dispatcher.DispatcherComposeInterceptor | undefined;
  readonly userAgent: string;
  readonly log: Log;
  readonly observe: (call: CallObservation) => void;
  /** Called when a call has waited for the rate limit, even if it was aborted meanwhile. */
  readonly onWaited: (priority: CallPriority, waitedMs: number) => void;
}

/** The client of an API key, with its own rate limit. */
export function keyClient(
  key: string,
  { cloudUrl, egress, rateLimit, clock, intercept, userAgent, log, observe, onWaited }: KeyClientOptions,
): KeyClient {
  const listeners: Parameters<KeyClient['onOutcome']>[0][] = [];
  const limiter = timed(rateLimiter({ clock, ...rateLimit }), onWaited);
  const client = cloudClient({
    baseUrl: cloudUrl,
    apiKey: key,
    egress,
    limiter,
    userAgent,
    now: () => clock.now(),
    ...(intercept ? { intercept } : {}),
    onCall(call) {
      observe(call);
      logCall(call, log);
      for (const listener of listeners) listener(call.outcome);
    },
  });
  return {
    api: client,
    limiter,
    onOutcome: (listener) => void listeners.push(listener),
    close: () => void client[Symbol.asyncDispose](),
  };
}

/** Logs a call: a change at level info, a read at level debug. */
function logCall({ error, ...call }: CallObservation, log: Log): void {
  const { effect } = operations[call.operation];
  const object = isShared(call.operation) ? undefined : currentVisit();
  const times = { durationMs: Math.round(call.durationMs), waitedMs: Math.round(call.waitedMs) };
  const fields = { ...(object === undefined ? {} : { object }), ...call, ...times };
  log[effect === 'read' ? 'debug' : 'info'](
    fields,
    error === undefined ? `cloud call ${call.operation}` : `cloud call failed: ${error.message}`,
  );
}

/** Whether a call serves all waiting objects, so that its log line must not name the first. */
function isShared(operation: CloudOperation): boolean {
  return operation.startsWith('list') || operation === 'getCredentialsInfo';
}

/** Reports the waiting time of each call in real milliseconds. */
function timed(limiter: RateLimiter, onWaited: KeyClientOptions['onWaited']): RateLimiter {
  return {
    ...limiter,
    acquire(operation, priority, signal) {
      const begun = performance.now();
      return limiter.acquire(operation, priority, signal).finally(() => onWaited(priority, performance.now() - begun));
    },
  };
}
