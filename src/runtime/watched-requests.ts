import type { Dispatcher } from 'undici';
import type { Outage } from './outage.ts';

/** What a proxy or a load balancer says of a server that is away. */
const fromInBetween: ReadonlySet<number> = new Set([502, 503, 504]);
/** Our own doing. */
const givenUp: ReadonlySet<string> = new Set(['UND_ERR_ABORTED', 'UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);

/** Tells an outage how all requests fare. A request that its caller gave up says nothing. */
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

/** Whoever gives up says so in words of their own; what breaks has a code, and a deadline is a TimeoutError. */
function isTrouble(error: Error): boolean {
  if (error.name === 'TimeoutError') return true;
  return 'code' in error && typeof error.code === 'string' && !givenUp.has(error.code);
}
