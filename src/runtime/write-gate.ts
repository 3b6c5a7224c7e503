import type { Dispatcher } from 'undici';

/** A write that was not sent: this process lost its permission before a connection was available. */
export class WriteHeldBack extends Error {
  override readonly name = 'WriteHeldBack';
}

/**
 * Lets reads pass, and checks each write when it goes to the socket: a process that was frozen while it waited for a
 * connection could otherwise send an outdated write. A write that is held back fails with {@link WriteHeldBack}.
 */
export function writeGate(mayWrite: () => boolean): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    if (options.method === 'GET' || options.method === 'HEAD') return dispatch(options, handler);
    return dispatch(options, {
      // Undici calls this right before it writes the request. An abort here means that nothing is written.
      onRequestStart(controller, context) {
        if (mayWrite()) handler.onRequestStart?.(controller, context);
        else controller.abort(new WriteHeldBack('this process may not write now'));
      },
      onResponseStart: (controller, status, headers, message) => handler.onResponseStart?.(controller, status, headers, message),
      onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
      onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
      onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
    });
  };
}
