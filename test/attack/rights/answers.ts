import type { Dispatcher } from 'undici';

/** The answers of the API server to operators. */
export interface Answers {
  /** Put around all that the operator of this name sends. */
  listenTo(identity: string): Dispatcher.DispatcherComposeInterceptor;
  /** How often there was each, such as `first GET /api/v1/namespaces/kube-system 200`. */
  times(answer: string): number;
  /** Resolves with the first request that was refused for want of a right. */
  readonly refused: Promise<string>;
}

export function answers(): Answers {
  const seen = new Map<string, number>();
  const times = (answer: string) => seen.get(answer) ?? 0;
  const { promise: refused, resolve } = Promise.withResolvers<string>();
  const listenTo =
    (identity: string): Dispatcher.DispatcherComposeInterceptor =>
    (dispatch) =>
    (options, handler) => {
      const { method, path } = options;
      if (!/^\/apis?\//u.test(path)) return dispatch(options, handler);
      return dispatch(options, {
        onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
        onResponseStart(controller, status, headers, message) {
          const asked = `${method} ${path.replace(/\?.*$/u, '')}`;
          const answer = `${identity} ${asked} ${status}`;
          seen.set(answer, times(answer) + 1);
          if (status === 403) resolve(asked);
          handler.onResponseStart?.(controller, status, headers, message);
        },
        onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
        onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
        onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
      });
    };
  return { listenTo, times, refused };
}
