import type { Dispatcher } from 'undici';

/** A request to Kubernetes, as a webhook, a policy or a proxy sees it. */
export interface AskedWrite {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly body: string;
  readonly dryRun: boolean;
}

/** The answer of the webhook. */
export interface Refusal {
  readonly code: number;
  readonly message: string;
}

/** Refuses reads as well, as a proxy or an API server under load does. `hang`: the request is never answered. */
export function refusingReads(
  judge: (path: string) => Refusal | 'hang' | undefined,
): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const refusal =
      options.method === 'GET' ? judge(options.path.replace(/\?.*$/u, '')) : undefined;
    if (refusal === undefined) return dispatch(options, handler);
    if (refusal !== 'hang') setImmediate(() => answer(handler, refusal));
    return true;
  };
}

/**
 * Refuses writes between an operator and the API server as webhooks and policies do, with any code.
 * @param judge undefined lets the request pass
 */
export function refusing(
  judge: (write: AskedWrite) => Refusal | undefined,
): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const { method, path, body } = options;
    if (method === 'GET' || !path.startsWith('/api')) return dispatch(options, handler);
    const isDryRun = new URLSearchParams(options.query ?? path.split('?')[1] ?? '').has('dryRun');
    const refusal = judge({
      method,
      path: path.replace(/\?.*$/u, ''),
      body: typeof body === 'string' ? body : '',
      dryRun: isDryRun,
    });
    if (!refusal) return dispatch(options, handler);
    setImmediate(() => answer(handler, refusal));
    return true;
  };
}

function answer(handler: Dispatcher.DispatchHandler, { code, message }: Refusal): void {
  const controller = {
    aborted: false,
    paused: false,
    reason: null,
    abort() {},
    pause() {},
    resume() {},
  };
  handler.onRequestStart?.(controller, {});
  handler.onResponseStart?.(controller, code, { 'content-type': 'application/json' }, '');
  handler.onResponseData?.(
    controller,
    Buffer.from(
      JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message }),
    ),
  );
  handler.onResponseEnd?.(controller, {});
}
