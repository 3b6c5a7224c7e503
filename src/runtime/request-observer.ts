import type { Dispatcher } from 'undici';

export interface RequestObservation {
  readonly method: string;
  /** With the port, unless it is the default. */
  readonly host: string;
  /** Undefined when no reply began to arrive. */
  readonly status: number | undefined;
  /** Real time until the reply was complete or failed; for a watch, until the reply began. */
  readonly durationMs: number;
  readonly isWatch: boolean;
}

/** Reports each request once, also a request that is cancelled before its reply. */
export function requestObserver(observe: (observation: RequestObservation) => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const begun = performance.now();
    const host = new URL(String(options.origin)).host;
    const isWatch = options.query?.['watch'] !== undefined;
    let status: number | undefined;
    let isReported = false;
    const tell = () => {
      if (isReported) return;
      isReported = true;
      observe({ method: options.method, host, status, durationMs: performance.now() - begun, isWatch });
    };
    return dispatch(options, {
      onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
      onRequestUpgrade: (controller, code, headers, socket) => handler.onRequestUpgrade?.(controller, code, headers, socket),
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
        tell();
        handler.onResponseError?.(controller, error);
      },
    });
  };
}
