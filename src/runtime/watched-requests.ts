import type { Dispatcher } from 'undici';
import type { Outage } from './outage.ts';

/** Replies of a proxy or a load balancer whose server is away. */
const fromInBetween: ReadonlySet<number> = new Set([502, 503, 504]);
/** Errors that this process caused itself. */
const givenUp: ReadonlySet<string> = new Set(['UND_ERR_ABORTED', 'UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);

/** Reports the result of each request to an outage, except for requests that the caller cancelled. */
export function watchedRequests(outage: Outage): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (request, handler) =>
    dispatch(request, {
      onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
      onRequestUpgrade: (...upgrade) => handler.onRequestUpgrade?.(...upgrade),
      onResponseStart(controller, status, headers, statusMessage) {
        if (fromInBetween.has(status)) outage.failed(new Error(`HTTP ${status}`));
        else outage.answered();
        handler.onResponseStart?.(controller, status, headers, statusMessage);
      },
      onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
      onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
      onResponseError(controller, error) {
        if (isTrouble(error)) outage.failed(error);
        handler.onResponseError?.(controller, error);
      },
    });
}

/**
 * A broken connection has an error code, and an expired deadline is a TimeoutError. A caller that cancels passes
 * another error.
 */
function isTrouble(error: Error): boolean {
  if (error.name === 'TimeoutError') return true;
  return 'code' in error && typeof error.code === 'string' && !givenUp.has(error.code);
}
