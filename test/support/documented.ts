import type { Dispatcher } from 'undici';
import { cloudDocument, type CloudDocument } from './cloud-document.ts';

/** Checks requests of operators and answers of the simulator against the API's document. */
export interface Documented {
  /** Must be the innermost interceptor, so that the checks see the simulator's answer before a test changes it. */
  readonly intercept: Dispatcher.DispatcherComposeInterceptor;
  /** The differences from the document, without repetitions. */
  problems(): readonly string[];
}

/** Answers that a test injected are not the simulator's own. */
const byFault: ReadonlySet<unknown> = new Set([
  'errorBefore',
  'errorAfter',
  'ignored',
  'malformed',
]);
/** Tests force unknown states. */
const oddState = /\/status must be equal to one of the allowed values$/u;
/** Tests leave out names, ids, and parts of addresses. */
const leftOut = /must have required property '(?:name|id|service_id|vpc_id|peer_region_code)'$/u;

/** @param origin of the cloud; requests to other origins are for Kubernetes */
export function documented(origin: string): Documented {
  const found = new Set<string>();
  const remember = (problems: readonly string[]) => {
    for (const problem of problems)
      if (!oddState.test(problem) && !leftOut.test(problem))
        found.add(problem.replaceAll(/\/\d+/gu, '/[]'));
  };
  const intercept: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    if (options.origin?.toString() !== origin) return dispatch(options, handler);
    const { method, path } = options;
    const requestBody = typeof options.body === 'string' ? options.body : undefined;
    remember(shared().requestProblems({ method, path, requestBody }));
    let head:
      | { readonly status: number; readonly headers: Readonly<Record<string, unknown>> }
      | undefined;
    const chunks: Buffer[] = [];
    return dispatch(options, {
      onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
      onResponseStart(controller, status, headers, message) {
        head = { status, headers };
        handler.onResponseStart?.(controller, status, headers, message);
      },
      onResponseData(controller, chunk) {
        chunks.push(chunk);
        handler.onResponseData?.(controller, chunk);
      },
      onResponseEnd(controller, trailers) {
        if (head && !byFault.has(head.headers['x-simulator-fault']))
          remember(
            shared().replyProblems({
              method,
              path,
              ...head,
              replyBody: Buffer.concat(chunks).toString('utf8'),
            }),
          );
        handler.onResponseEnd?.(controller, trailers);
      },
      onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
    });
  };
  return { intercept, problems: () => [...found] };
}

let document: CloudDocument | undefined;

/** A single document for all worlds of a process, since compiling its schemas takes longer than a test. */
function shared(): CloudDocument {
  return (document ??= cloudDocument());
}
