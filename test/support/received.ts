import type { Dispatcher } from 'undici';

/** Collects all replies to the intercepted client as text. */
export function received(): {
  readonly intercept: Dispatcher.DispatcherComposeInterceptor;
  text(): string;
} {
  const chunks: Buffer[] = [];
  return {
    intercept: (dispatch) => (options, handler) =>
      dispatch(options, {
        onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
        onResponseStart: (controller, status, headers, message) =>
          handler.onResponseStart?.(controller, status, headers, message),
        onResponseData(controller, chunk) {
          chunks.push(chunk);
          handler.onResponseData?.(controller, chunk);
        },
        onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
        onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
      }),
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}
