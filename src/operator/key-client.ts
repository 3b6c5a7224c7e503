import type { Dispatcher } from 'undici';
import type { CallPriority, CloudOperation } from '../cloud/cloud-api.ts';
import { cloudClient, type CallObservation } from '../cloud/cloud-client.ts';
import { pauseEnd } from '../cloud/cloud-error.ts';
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
  {
    cloudUrl,
    proxy,
    rateLimit,
    clock,
    intercept,
    userAgent,
    log,
    observe,
    onWaited,
  }: KeyClientOptions,
): KeyClient {
  const listeners: Parameters<KeyClient['onOutcome']>[0][] = [];
  const limiter = rateLimiter({ clock, ...rateLimit, onWaited });
  const warn = warner(log);
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
      warn(call);
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

/**
 * Logs a pause of the key, and the odd fields of a reply, at level warn: neither fails a call that the log would show.
 * A list has the same odd fields each time, so only other fields are logged again.
 */
function warner(log: Log): (call: CallObservation) => void {
  const known = new Map<string, string>();
  return ({ operation, projectId, resourceId, error, odd = [] }) => {
    const about = {
      operation,
      ...(projectId !== undefined && { projectId }),
      ...(resourceId !== undefined && { resourceId }),
    };
    if (error?.pausedUntilMs !== undefined)
      log.warn(
        about,
        `the cloud asks this API key to make no calls${pauseEnd(error)}; the operator continues then`,
      );
    const place = `${operation} ${resourceId}`;
    const text = odd.slice(0, mostNamed).join('; ');
    if (text !== (known.get(place) ?? '') && text !== '')
      log.warn(
        { ...about, fields: odd.length },
        `a reply of the cloud does not fit the document of its API: ${text}`,
      );
    if (text === '') known.delete(place);
    else known.set(place, text);
  };
}

const mostNamed = 5;

/** Logs a call: a change at level info, a read at level debug. */
function logCall({ error, odd: _odd, ...call }: CallObservation, log: Log): void {
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
