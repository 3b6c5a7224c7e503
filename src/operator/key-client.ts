import type { Dispatcher } from 'undici';
import { cloudClient, type CallObservation } from '../cloud/cloud-client.ts';
import { rateLimiter } from '../cloud/rate-limiter.ts';
import type { KeyClient } from '../reconcile/credentials/api-key.ts';
import type { Log } from '../reconcile/log.ts';
import type { Clock } from '../runtime/clock.ts';

export interface KeyClientOptions {
  readonly cloudUrl: URL;
  readonly rateLimit: { readonly perSecond: number; readonly burst: number };
  readonly clock: Clock;
  readonly intercept: Dispatcher.DispatcherComposeInterceptor | undefined;
  readonly userAgent: string;
  readonly log: Log;
  readonly observe: (call: CallObservation) => void;
}

/** The client of one API key, with a rate limit of its own. */
export function keyClient(key: string, { cloudUrl, rateLimit, clock, intercept, userAgent, log, observe }: KeyClientOptions): KeyClient {
  const listeners: Parameters<KeyClient['onOutcome']>[0][] = [];
  // A turn is waited for with a worker: then at most as many wait as there are workers, and namespaces take turns for those.
  const limiter = rateLimiter({ clock, ...rateLimit });
  const client = cloudClient({
    baseUrl: cloudUrl,
    apiKey: key,
    limiter,
    userAgent,
    now: () => clock.now(),
    ...(intercept ? { intercept } : {}),
    onUnknownField: (operation, field) =>
      log.warn({ operation, field }, 'the cloud sent a field that this version does not know; it is ignored'),
    onCall(call) {
      observe(call);
      log.debug({ ...call, durationMs: Math.round(call.durationMs) }, 'cloud call');
      for (const listener of listeners) listener(call.outcome);
    },
  });
  return {
    api: client,
    limiter,
    cloudNow: () => client.cloudNow(),
    onOutcome: (listener) => void listeners.push(listener),
    close: () => void client[Symbol.asyncDispose](),
  };
}
