import type { Dispatcher } from 'undici';
import type { CallOptions, CloudApi, CloudOperation, Methods } from './cloud-api.ts';
import { CloudError, type CloudErrorKind, TransportFailure } from './cloud-error.ts';
import { type Deadline, deadline } from './deadline.ts';
import { egressAgent, type EgressProxy } from './egress.ts';
import { type Exchange, exchange, isSuccess } from './exchange.ts';
import { fieldOf } from './fields.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { readSuccess, replyError } from './read-reply.ts';
import { redacted } from './redaction.ts';
import {
  accountOperations,
  isOperation,
  type Operation,
  operations,
  type Operations,
  projectOperations,
} from './wire/all.ts';
import { methodOf } from './wire/operation.ts';

/** The address of the cloud, the API key, and the observers of the calls. */
export interface CloudClientOptions {
  /** Its path is put before that of every operation. Query, fragment and credentials are ignored. */
  readonly baseUrl: URL;
  readonly apiKey: string;
  /** Default: a direct connection. */
  readonly proxy?: EgressProxy | undefined;
  readonly intercept?: Dispatcher.DispatcherComposeInterceptor;
  readonly limiter?: RateLimiter;
  /** Policy time in milliseconds since the epoch. Default: the system's clock. */
  readonly now?: () => number;
  /** Called after each call that got its turn in the rate limit. `durationMs` is real time, with that wait included. */
  readonly onCall?: (observation: CallObservation) => void;
  readonly userAgent?: string;
}

/**
 * The result of a call, as metrics and logs show it, unless the rate limit refused the call. It
 * contains no secret.
 */
export interface CallObservation {
  readonly operation: CloudOperation;
  /** Undefined for `getCredentialsInfo`, whose reply names the project. */
  readonly projectId?: string;
  /** The id of the resource, or of its parent for a list or a create; undefined directly in the project. */
  readonly resourceId?: string;
  readonly outcome: 'ok' | CloudErrorKind;
  readonly error?: CloudError;
  /** The fields of a readable reply that do not fit the document of the API, each with the id of its item. */
  readonly odd?: readonly string[];
  readonly status?: number;
  readonly durationMs: number;
  /** The part of `durationMs` that was the wait for the rate limit. */
  readonly waitedMs: number;
}

/** The cloud over HTTP, as {@link cloudClient} makes it. Its disposal closes all connections. */
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
  const { now = Date.now, limiter, onCall, proxy } = options;
  const shared = egressAgent(proxy);
  const recent = egressAgent(proxy, longestIdleOfCreatesMs);
  const intercepted = (agent: Dispatcher) =>
    options.intercept ? agent.compose(options.intercept) : agent;
  const [kept, forCreates] = [intercepted(shared), intercepted(recent)];

  const call: Call = async (operation, ids, callOptions = {}, body) => {
    const begun = performance.now();
    let waitedMs = 0;
    using end = deadline(callOptions.timeoutMs ?? timeoutOf(operation), callOptions.signal);
    const about = aboutOf(operation, ids);
    const observe = (
      outcome: Pick<CallObservation, 'outcome' | 'error' | 'odd'>,
      status: number | undefined,
    ) =>
      onCall?.({
        ...about,
        ...outcome,
        ...(status !== undefined && { status }),
        durationMs: performance.now() - begun,
        waitedMs,
      });
    try {
      const request = requestOf(options, operation, ids, body);
      if (!callOptions.hasTurn) await waitForTurn(operation, callOptions, end, limiter);
      waitedMs = performance.now() - begun;
      const redact = (text: string) => redacted(text, options.apiKey, passwordsIn(body));
      const outcome = await exchange(
        operations[operation].effect === 'create' ? forCreates : kept,
        request,
        {
          signal: end.signal,
          mayBeSent: callOptions.mayBeSent ?? (() => true),
        },
      );
      if (outcome.type !== 'replied') throw failure(operation, outcome, end, redact);
      const { reply } = outcome;
      if (!isSuccess(reply.status)) throw replyError(operation, reply, redact, now());
      const { value, odd } = await readSuccess(operation, ids, reply);
      observe({ outcome: 'ok', ...(odd.length > 0 && { odd }) }, reply.status);
      return value;
    } catch (error) {
      if (!(error instanceof CloudError)) throw error;
      const { kind, sent, status, retryAfterMs, pausedUntilMs } = error;
      // The rate limit refused the call, so it is not reported as a call.
      if (kind === 'rateLimited' && !sent) throw error;
      if (kind === 'rateLimited')
        limiter?.pauseUntil(pausedUntilMs ?? now() + (retryAfterMs ?? defaultPauseMs));
      observe({ outcome: kind, error }, status);
      throw error;
    }
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

/**
 * Waits for the rate limit.
 * @throws {CloudError} if it refuses the call, or the call ends before its turn
 */
async function waitForTurn(
  operation: CloudOperation,
  { priority }: CallOptions,
  end: Deadline,
  limiter: RateLimiter | undefined,
): Promise<void> {
  try {
    await limiter?.acquire(
      operation,
      priority ?? (operations[operation].effect === 'read' ? 'read' : 'edit'),
      end.signal,
    );
  } catch (error) {
    if (error instanceof CloudError) throw error;
    throw new CloudError({
      operation,
      kind: end.kind === 'timeout' ? 'rateLimited' : end.kind,
      sent: false,
      fromApi: false,
    });
  }
}

/**
 * Makes the HTTP request of a call.
 * @throws {CloudError} for an id or a key that cannot be sent
 */
function requestOf(
  { baseUrl, apiKey, userAgent = 'managed-db-operator' }: CloudClientOptions,
  operation: CloudOperation,
  ids: readonly string[],
  body: object | undefined,
): Dispatcher.DispatchOptions {
  const { effect, path: template } = operations[operation];
  const path = requestPath(baseUrl, template, ids);
  const refused = { operation, sent: false, fromApi: false } as const;
  if (path === undefined)
    throw new CloudError({
      ...refused,
      kind: 'invalid',
      field: 'an id that cannot stand in a path',
    });
  if (!/^[\x21-\x7e]+$/u.test(apiKey)) {
    throw new CloudError({
      ...refused,
      kind: 'unauthorized',
      field: 'an API key is visible ASCII characters without blanks',
    });
  }
  const headers = {
    authorization: `Bearer ${apiKey}`,
    accept: 'application/json',
    'user-agent': userAgent,
  };
  const request = { origin: baseUrl.origin, path, method: methodOf[effect] };
  if (body === undefined) return { ...request, headers };
  return {
    ...request,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}

/**
 * The path of the base URL, then the operation's path with percent-encoded ids. Undefined when an id is missing or left
 * over: the rest would stand in wrong places. Undefined for an id that is empty, `.`, `..` (which servers take for a
 * folder), or not well-formed text.
 */
export function requestPath(
  baseUrl: URL,
  path: string,
  ids: readonly string[],
): string | undefined {
  const fixed = path.split(/\{\w+\}/u);
  if (ids.length !== fixed.length - 1 || !ids.every(fitsInPath)) return undefined;
  const filled = fixed.map((part, index) =>
    index === 0 ? part : encodeURIComponent(ids[index - 1] ?? '') + part,
  );
  return baseUrl.pathname.replace(/\/+$/u, '') + filled.join('');
}

function fitsInPath(id: string): boolean {
  return id !== '' && id !== '.' && id !== '..' && id.isWellFormed();
}

function failure(
  operation: CloudOperation,
  outcome: Exclude<Exchange, { type: 'replied' }>,
  end: Deadline,
  redact: (text: string) => string,
): CloudError {
  const common = { operation, sent: outcome.sent, fromApi: false } as const;
  switch (outcome.type) {
    case 'ended':
      return new CloudError({ ...common, kind: end.kind, status: outcome.status });
    case 'heldBack':
      return new CloudError({ ...common, kind: 'aborted' });
    case 'failed': {
      const code = codeOf(outcome.error);
      const cause = new TransportFailure(redact(messageOf(outcome.error)), code);
      return new CloudError({
        ...common,
        kind: closedByUs.has(code ?? '') ? 'aborted' : 'network',
        cause,
      });
    }
  }
}

/** Codes of a client that was disposed of. */
const closedByUs: ReadonlySet<string> = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);

/** Several addresses may have been tried. */
function messageOf(error: Error): string {
  const errors =
    error instanceof AggregateError ? error.errors.filter((each) => each instanceof Error) : [];
  return (
    error.message || errors.map(({ message }) => message).join(', ') || codeOf(error) || error.name
  );
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The password that a request sets. */
function passwordsIn(body: object | undefined): readonly string[] {
  const password = fieldOf(body, 'password');
  return typeof password === 'string' ? [password] : [];
}

/** The ids of a path in order: the project, the resource, its child. */
function aboutOf(
  operation: CloudOperation,
  [projectId, ...inIt]: readonly string[],
): Pick<CallObservation, 'operation' | 'projectId' | 'resourceId'> {
  const resourceId = inIt.at(-1);
  return {
    operation,
    ...(projectId !== undefined && { projectId }),
    ...(resourceId !== undefined && { resourceId }),
  };
}

/**
 * Sends a call. It resolves to the checked reply, or to undefined if the client ignores the reply
 * of the operation.
 * @param ids in the order of the path
 * @throws {CloudError}
 */
export type Call = (
  operation: CloudOperation,
  ids: readonly string[],
  options?: CallOptions,
  body?: object,
) => Promise<unknown>;

type Method = (...args: readonly (string | object | undefined)[]) => Promise<unknown>;

/**
 * Makes a method for each operation of `wire/`. Each method hands its ids, options and body to
 * `call`.
 */
export function cloudOperations(call: Call): CloudApi {
  return {
    ...methods(accountOperations, call),
    project: (projectId) => methods(projectOperations, call, projectId),
  };
}

/** See {@link Methods}, without the ids that are `bound`. */
function methods<O extends Operations>(
  rows: O,
  call: Call,
  ...bound: readonly string[]
): Methods<O>;
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
