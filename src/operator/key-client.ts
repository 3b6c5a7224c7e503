import type { Dispatcher } from 'undici';
import type { CallPriority, CloudOperation } from '../cloud/cloud-api.ts';
import { cloudClient, type CallObservation } from '../cloud/cloud-client.ts';
import type { EgressProxy } from '../cloud/egress.ts';
import { operations } from '../cloud/wire/all.ts';
import { rateLimiter } from '../cloud/rate-limiter.ts';
import type { KeyClient } from '../reconcile/credentials/accounts.ts';
import { currentVisit, type Clock, type Log } from '../runtime/index.ts';

interface KeyClientOptions {
  readonly cloudUrl: URL;
  readonly proxy?: EgressProxy | undefined;
  readonly rateLimit: { readonly perSecond: number; readonly burst: number };
  readonly clock: Clock;
  readonly intercept: Dispatcher.DispatcherComposeInterceptor | undefined;
  readonly userAgent: string;
  readonly log: Log;
  readonly observe: (call: CallObservation) => void;
  readonly onWaited: (priority: CallPriority, waitedMs: number) => void;
}

/** The client of an API key, with its own rate limit. */
export function keyClient(
  key: string,
  { cloudUrl, proxy, rateLimit, clock, intercept, userAgent, log, observe, onWaited }: KeyClientOptions,
): KeyClient {
  const listeners: Parameters<KeyClient['onOutcome']>[0][] = [];
  const limiter = rateLimiter({ clock, ...rateLimit, onWaited });
  const client = cloudClient({
    baseUrl: cloudUrl,
    apiKey: key,
    proxy,
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
