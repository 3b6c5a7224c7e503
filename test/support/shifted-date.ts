import type { Dispatcher } from 'undici';

/** Shifts the cloud's clock in its replies; `aheadMs` may change at any time. Replies of Kubernetes are unchanged. */
export interface ShiftedDate {
  aheadMs: number;
  readonly intercept: Dispatcher.DispatcherComposeInterceptor;
}

export function shiftedDate(cloudUrl: string): ShiftedDate {
  const { origin } = new URL(cloudUrl);
  const shift: ShiftedDate = {
    aheadMs: 0,
    intercept: (dispatch) => (options, handler) => {
      if (String(options.origin) !== origin) return dispatch(options, handler);
      return dispatch(options, {
        onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
        onResponseStart(controller, status, headers, message) {
          const date = Date.parse(String(headers['date']));
          const shifted = { ...headers, date: new Date(date + shift.aheadMs).toUTCString() };
          handler.onResponseStart?.(
            controller,
            status,
            Number.isNaN(date) ? headers : shifted,
            message,
          );
        },
        onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
        onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
        onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
      });
    },
  };
  return shift;
}
