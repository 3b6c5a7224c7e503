import type { Dispatcher } from 'undici';

/** Puts a gateway's page in place of the body of each reply with this status, while the gateway is ill. */
export function pagesFor(
  status: number,
  page: string,
  isIll: () => boolean,
): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    if (!options.path.startsWith('/projects/')) return dispatch(options, handler);
    let isPage = false;
    return dispatch(options, {
      onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
      onResponseStart(controller, actual, headers, message) {
        isPage = actual === status && isIll();
        handler.onResponseStart?.(controller, actual, headers, message);
      },
      onResponseData(controller, chunk) {
        if (!isPage) handler.onResponseData?.(controller, chunk);
      },
      onResponseEnd(controller, trailers) {
        if (isPage) handler.onResponseData?.(controller, Buffer.from(page));
        handler.onResponseEnd?.(controller, trailers);
      },
      onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
    });
  };
}
