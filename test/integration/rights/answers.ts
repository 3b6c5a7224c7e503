import type { Dispatcher } from 'undici';

/** What the API server answered operators. */
export interface Answers {
  /** Put around all that the operator of this name sends. */
  listenTo(identity: string): Dispatcher.DispatcherComposeInterceptor;
  /** `first GET /api/v1/namespaces/kube-system 200`, each once. */
  readonly seen: ReadonlySet<string>;
  /** Resolves with the first request that was refused for want of a right. */
  readonly refused: Promise<string>;
}

export function answers(): Answers {
  const seen = new Set<string>();
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
          seen.add(`${identity} ${asked} ${status}`);
          if (status === 403) resolve(asked);
          handler.onResponseStart?.(controller, status, headers, message);
        },
        onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
        onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
        onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
      });
    };
  return { listenTo, seen, refused };
}
