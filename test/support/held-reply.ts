import type { Dispatcher } from 'undici';

/**
 * Holds back the reply to a request, like a frozen process: the request is carried out, and its caller gets no answer
 * for now.
 */
export function heldReply(isIt: (options: Dispatcher.DispatchOptions) => boolean) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const later = (act: () => void) => void released.then(act);
  let isDone = false;
  const intercept: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    if (isDone || !isIt(options)) return dispatch(options, handler);
    isDone = true;
    return dispatch(options, {
      onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
      onResponseStart: (controller, status, headers, message) =>
        later(() => handler.onResponseStart?.(controller, status, headers, message)),
      onResponseData: (controller, chunk) =>
        later(() => handler.onResponseData?.(controller, chunk)),
      onResponseEnd(controller, trailers) {
        answer();
        later(() => handler.onResponseEnd?.(controller, trailers));
      },
      onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
    });
  };
  return { intercept, answered, release };
}
