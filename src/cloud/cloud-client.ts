import type { Dispatcher } from 'undici';
import type { CloudApi, CloudOperation } from './cloud-api.ts';
import { cloudClock } from './cloud-clock.ts';
import type { CloudError, CloudErrorKind } from './cloud-error.ts';
import { cloudOperations, type Call } from './cloud-operations.ts';
import { deadline } from './deadline.ts';
import { egressAgent, type Egress } from './egress.ts';
import { performCall, type Line } from './perform-call.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { redaction } from './redaction.ts';

export interface CloudClientOptions {
  /** May carry a path, which stands before that of every operation. Query, fragment and credentials in it are ignored. */
  readonly baseUrl: URL;
  readonly apiKey: string;
  /** Default: straight, and with the certificates of the system. */
  readonly egress?: Egress | undefined;
  /** Wraps everything that goes to the network. */
  readonly intercept?: Dispatcher.DispatcherComposeInterceptor;
  readonly limiter?: RateLimiter;
  /** Policy time, milliseconds since the epoch. Default: the system's. */
  readonly now?: () => number;
  /** A field that the cloud sends and nobody here knows; once per operation and path. Never its value. */
  readonly onUnknownField?: (operation: CloudOperation, path: string) => void;
  /** After each call; not for one that the rate limit refused. `durationMs` is real time and counts the wait for the rate limit. */
  readonly onCall?: (observation: CallObservation) => void;
  readonly userAgent?: string;
}

export interface CallObservation {
  readonly operation: CloudOperation;
  /** Undefined for `getCredentialsInfo`, which tells it. */
  readonly projectId?: string;
  /** Of what the call is about, or of what it is listed or made under; undefined for what is under the project alone. */
  readonly resourceId?: string;
  readonly outcome: 'ok' | CloudErrorKind;
  readonly error?: CloudError;
  readonly status?: number;
  readonly durationMs: number;
  /** The part of it that was the wait for the rate limit. */
  readonly waitedMs: number;
}

export interface CloudClient extends CloudApi, AsyncDisposable {
  /** The cloud's clock now, milliseconds since the epoch: the `Date` of the last reply and the time passed since. Undefined before the first reply. */
  cloudNow(): number | undefined;
}

const defaultTimeoutMs = 30_000;
/** When a 429 does not say how long. Long enough for a bucket of a few requests a second to fill, short enough not to be noticed. */
const defaultPauseMs = 5_000;

/**
 * The cloud over HTTP. Nothing is ever sent twice, no redirect is followed. Requests that create something get a fresh connection each: a kept one
 * that the server had already given up would leave it open whether they were carried out.
 */
export function cloudClient(options: CloudClientOptions): CloudClient {
  const { now = Date.now, limiter, onCall, egress = {} } = options;
  const shared = egressAgent(egress, 1);
  const fresh = egressAgent(egress, 0);
  const dates = cloudClock(now);
  const line: Line = {
    baseUrl: options.baseUrl,
    apiKey: options.apiKey,
    userAgent: options.userAgent ?? 'managed-db-operator',
    shared: throughInterceptor(shared, options.intercept),
    fresh: throughInterceptor(fresh, options.intercept),
    limiter,
    redaction: redaction(options.apiKey),
    saw: (date) => dates.saw(date),
  };
  const reportUnknown = oncePerField(options.onUnknownField);

  const call: Call = async (operation, endpoint, ids, callOptions = {}, body) => {
    const begun = performance.now();
    using end = deadline(callOptions.timeoutMs ?? defaultTimeoutMs, callOptions.signal);
    const about = aboutOf(operation, ids);
    let waitedMs = 0;
    const hasTurn = () => (waitedMs = performance.now() - begun);
    const observe = (outcome: Pick<CallObservation, 'outcome' | 'error'>, status: number | undefined) =>
      onCall?.({ ...about, ...outcome, ...(status !== undefined && { status }), durationMs: performance.now() - begun, waitedMs });
    const result = await performCall(line, { operation, endpoint, ids, body, options: callOptions, end, hasTurn });
    if (result.error) {
      const { kind, sent, status, retryAfterMs } = result.error;
      // For want of a turn there was no call.
      if (kind === 'rateLimited' && !sent) throw result.error;
      if (kind === 'rateLimited') limiter?.pauseUntil(now() + (retryAfterMs ?? defaultPauseMs));
      observe({ outcome: kind, error: result.error }, status);
      throw result.error;
    }
    observe({ outcome: 'ok' }, result.status);
    for (const path of result.unknownFields) reportUnknown(operation, path);
    return result.value;
  };

  return {
    ...cloudOperations(call),
    cloudNow: () => dates.now(),
    async [Symbol.asyncDispose]() {
      await Promise.all([shared.destroy(), fresh.destroy()]);
    },
  };
}

/** Ids stand in the order of the path: the project, then what is in it, then what is in that. */
function aboutOf(
  operation: CloudOperation,
  [projectId, ...inIt]: readonly string[],
): Pick<CallObservation, 'operation' | 'projectId' | 'resourceId'> {
  const resourceId = inIt.at(-1);
  return { operation, ...(projectId !== undefined && { projectId }), ...(resourceId !== undefined && { resourceId }) };
}

function throughInterceptor(agent: Dispatcher, intercept: Dispatcher.DispatcherComposeInterceptor | undefined): Dispatcher.Dispatch {
  const dispatch: Dispatcher.Dispatch = (request, handler) => agent.dispatch(request, handler);
  return intercept ? intercept(dispatch) : dispatch;
}

/** How many fields are remembered: a cloud that makes up names must not fill the memory. */
const maxUnknownFields = 1_000;

function oncePerField(report: CloudClientOptions['onUnknownField']): (operation: CloudOperation, path: string) => void {
  const seen = new Set<string>();
  return (operation, path) => {
    const key = `${operation} ${path}`;
    if (!report || seen.has(key) || seen.size >= maxUnknownFields) return;
    seen.add(key);
    report(operation, path);
  };
}
