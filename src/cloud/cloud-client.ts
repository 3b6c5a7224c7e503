import type { Dispatcher } from 'undici';
import type { CallOptions, CloudApi, CloudOperation, Methods } from './cloud-api.ts';
import type { CloudError, CloudErrorKind } from './cloud-error.ts';
import { deadline } from './deadline.ts';
import { type Egress, egressAgent } from './egress.ts';
import { type Line, performCall } from './perform-call.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { redaction } from './redaction.ts';
import { accountOperations, isOperation, type Operation, operations, type Operations, projectOperations } from './wire/all.ts';

export interface CloudClientOptions {
  /** Its path is put before that of every operation. Query, fragment and credentials are ignored. */
  readonly baseUrl: URL;
  readonly apiKey: string;
  /** Default: a direct connection, with the certificates of the system. */
  readonly egress?: Egress | undefined;
  readonly intercept?: Dispatcher.DispatcherComposeInterceptor;
  readonly limiter?: RateLimiter;
  /** Policy time in milliseconds since the epoch. Default: the system's clock. */
  readonly now?: () => number;
  /** Called once for each operation and path of a reply field that the schema does not know. Never gets the value. */
  readonly onUnknownField?: (operation: CloudOperation, path: string) => void;
  /** Called after each call that got its turn in the rate limit. `durationMs` is real time, with that wait included. */
  readonly onCall?: (observation: CallObservation) => void;
  readonly userAgent?: string;
}

export interface CallObservation {
  readonly operation: CloudOperation;
  /** Undefined for `getCredentialsInfo`, whose reply names the project. */
  readonly projectId?: string;
  /** The id of the resource, or of its parent for a list or a create; undefined directly in the project. */
  readonly resourceId?: string;
  readonly outcome: 'ok' | CloudErrorKind;
  readonly error?: CloudError;
  readonly status?: number;
  readonly durationMs: number;
  /** The part of `durationMs` that was the wait for the rate limit. */
  readonly waitedMs: number;
}

export type CloudClient = CloudApi & AsyncDisposable;

/** A GET of a single resource is a small read, and a visit may wait for several in a row. */
const smallReadTimeoutMs = 10_000;
const defaultTimeoutMs = 30_000;
/** The pause after a 429 without `Retry-After`: long enough for a few new tokens, too short for users to notice. */
const defaultPauseMs = 5_000;

/** Shorter than the idle limit of any server, and long enough for creates that follow each other. */
const longestIdleOfCreatesMs = 1_000;

/**
 * The cloud over HTTP. Sends nothing twice, and follows no redirect. A create goes over a connection that is new or had
 * an answer a moment ago: on a connection that the server had already closed, its result would be unknown.
 */
export function cloudClient(options: CloudClientOptions): CloudClient {
  const { now = Date.now, limiter, onCall, egress = {} } = options;
  const shared = egressAgent(egress);
  const recent = egressAgent(egress, longestIdleOfCreatesMs);
  const line: Line = {
    baseUrl: options.baseUrl,
    apiKey: options.apiKey,
    userAgent: options.userAgent ?? 'managed-db-operator',
    shared: throughInterceptor(shared, options.intercept),
    recent: throughInterceptor(recent, options.intercept),
    limiter,
    redaction: redaction(options.apiKey),
  };
  const reportUnknown = oncePerField(options.onUnknownField);

  const call: Call = async (operation, ids, callOptions = {}, body) => {
    const begun = performance.now();
    using end = deadline(callOptions.timeoutMs ?? timeoutOf(operation), callOptions.signal);
    const about = aboutOf(operation, ids);
    let waitedMs = 0;
    const hasTurn = () => (waitedMs = performance.now() - begun);
    const observe = (outcome: Pick<CallObservation, 'outcome' | 'error'>, status: number | undefined) =>
      onCall?.({ ...about, ...outcome, ...(status !== undefined && { status }), durationMs: performance.now() - begun, waitedMs });
    const result = await performCall(line, { operation, ids, body, options: callOptions, end, hasTurn });
    if (result.error) {
      const { kind, sent, status, retryAfterMs } = result.error;
      // The rate limit refused the call, so it is not reported as a call.
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
    async [Symbol.asyncDispose]() {
      await Promise.all([shared.destroy(), recent.destroy()]);
    },
  };
}

function timeoutOf(operation: CloudOperation): number {
  const { effect, success }: Operation = operations[operation];
  return effect === 'read' && success.isList !== true ? smallReadTimeoutMs : defaultTimeoutMs;
}

/** The ids of a path in order: the project, the resource, its child. */
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

/** Bounds the memory for a cloud that invents field names. */
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

/** The ids are in the order of the path. @throws {CloudError} */
export type Call = (operation: CloudOperation, ids: readonly string[], options?: CallOptions, body?: object) => Promise<unknown>;

type Method = (...args: readonly (string | object | undefined)[]) => Promise<unknown>;

export function cloudOperations(call: Call): CloudApi {
  return { ...methods(accountOperations, call), project: (projectId) => methods(projectOperations, call, projectId) };
}

/** See {@link Methods}, without the ids that are `bound`. */
function methods<O extends Operations>(rows: O, call: Call, ...bound: readonly string[]): Methods<O>;
function methods(rows: Operations, call: Call, ...bound: readonly string[]): object {
  const made = Object.keys(rows)
    .filter(isOperation)
    .map((operation) => {
      const method: Method = (...args) => {
        const ids = args.filter((arg) => typeof arg === 'string');
        const objects = args.filter((arg) => typeof arg === 'object');
        const [body, options] = operations[operation].request ? objects : [undefined, ...objects];
        return call(operation, [...bound, ...ids], options, body);
      };
      return [operation, method] as const;
    });
  return Object.fromEntries(made);
}
