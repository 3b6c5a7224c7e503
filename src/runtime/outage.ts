import type { Dispatcher } from 'undici';
import type { Log } from './log.ts';

/** Joins the failures of a server into an outage with a begin and an end. */
export interface Outage {
  /** A request got no answer. */
  failed(error: unknown): void;
  /** A request got an answer of any content. */
  answered(): void;
}

/** A server that only closes its connections answers another request sooner. */
const patienceMs = 2_000;

/**
 * Makes an outage that logs a line when a server is away, and another when it is back.
 * @param meanwhile the consequence for users
 */
export function loggedOutage(
  who: string,
  meanwhile: string,
  log: Pick<Log, 'info' | 'warn'>,
): Outage {
  let since: number | undefined;
  let isReported = false;
  return {
    failed(error) {
      since ??= performance.now();
      if (isReported || performance.now() - since < patienceMs) return;
      isReported = true;
      log.warn(
        { error: error instanceof Error ? messageOf(error) : String(error) },
        `${who} does not answer: ${meanwhile}`,
      );
    },
    answered() {
      if (isReported && since !== undefined)
        log.info(
          {},
          `${who} answers again, after ${Math.round((performance.now() - since) / 1_000)} s`,
        );
      since = undefined;
      isReported = false;
    },
  };
}

/** Several addresses may have failed at once; an error without a message has a code. */
function messageOf(error: Error): string {
  const errors =
    error instanceof AggregateError ? error.errors.filter((each) => each instanceof Error) : [];
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return error.message || errors.map(({ message }) => message).join(', ') || code;
}

/** Replies of a proxy or a load balancer whose server is away. */
const fromInBetween: ReadonlySet<number> = new Set([502, 503, 504]);
/** Errors that this process caused itself. */
const givenUp: ReadonlySet<string> = new Set([
  'UND_ERR_ABORTED',
  'UND_ERR_DESTROYED',
  'UND_ERR_CLOSED',
]);

/** Reports the result of a request to an outage, unless the caller cancelled the request. */
export function reportRequest(outage: Outage, { status, error }: RequestObservation): void {
  if (error) {
    if (isTrouble(error)) outage.failed(error);
  } else if (status !== undefined && fromInBetween.has(status))
    outage.failed(new Error(`HTTP ${status}`));
  else outage.answered();
}

/**
 * A broken connection has an error code, and an expired deadline is a TimeoutError. A caller that cancels passes
 * another error.
 */
function isTrouble(error: Error): boolean {
  if (error.name === 'TimeoutError') return true;
  return 'code' in error && typeof error.code === 'string' && !givenUp.has(error.code);
}

/** A request to the API server, and its result. */
export interface RequestObservation {
  readonly method: string;
  /** With the port, unless it is the default. */
  readonly host: string;
  /** Undefined when no reply began to arrive. */
  readonly status: number | undefined;
  /** Real time until the reply was complete or failed; for a watch, until the reply began. */
  readonly durationMs: number;
  readonly isWatch: boolean;
  /** The request failed. Undefined for a watch whose reply began. */
  readonly error?: Error | undefined;
}

/**
 * Makes an interceptor that reports each request once, also a request that is cancelled before its
 * reply.
 */
export function requestObserver(
  observe: (observation: RequestObservation) => void,
): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const begun = performance.now();
    const host = new URL(String(options.origin)).host;
    const isWatch = options.query?.['watch'] !== undefined;
    let status: number | undefined;
    let isReported = false;
    const tell = (error?: Error) => {
      if (isReported) return;
      isReported = true;
      observe({
        method: options.method,
        host,
        status,
        durationMs: performance.now() - begun,
        isWatch,
        error,
      });
    };
    return dispatch(options, {
      onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
      onRequestUpgrade: (controller, code, headers, socket) =>
        handler.onRequestUpgrade?.(controller, code, headers, socket),
      onResponseStart(controller, code, headers, message) {
        if (code >= 200) status = code;
        if (isWatch && status !== undefined) tell();
        handler.onResponseStart?.(controller, code, headers, message);
      },
      onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
      onResponseEnd(controller, trailers) {
        tell();
        handler.onResponseEnd?.(controller, trailers);
      },
      onResponseError(controller, error) {
        tell(error);
        handler.onResponseError?.(controller, error);
      },
    });
  };
}
