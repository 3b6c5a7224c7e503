import type { Dispatcher } from 'undici';
import { cloudDocument, type CloudDocument } from './cloud-document.ts';

/** Holds what operators say to the simulator, and what it answers, against the API's document. */
export interface Documented {
  /** The innermost one: what a test makes of an answer is no concern of the document. */
  readonly intercept: Dispatcher.DispatcherComposeInterceptor;
  /** What does not go by the document, each once. */
  problems(): readonly string[];
}

/** Answers that a test asked for are not the simulator's own. */
const byFault: ReadonlySet<unknown> = new Set(['errorBefore', 'errorAfter', 'ignored', 'malformed']);
/** Tests force states that nobody knows. */
const oddState = /\/status must be equal to one of the allowed values$/u;

/** @param origin where the cloud is: all else is Kubernetes */
export function documented(origin: string): Documented {
  const found = new Set<string>();
  const remember = (problems: readonly string[]) => {
    for (const problem of problems) if (!oddState.test(problem)) found.add(problem.replaceAll(/\/\d+/gu, '/[]'));
  };
  const intercept: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    if (options.origin?.toString() !== origin) return dispatch(options, handler);
    const { method, path } = options;
    const requestBody = typeof options.body === 'string' ? options.body : undefined;
    remember(shared().requestProblems({ method, path, requestBody }));
    let head: { readonly status: number; readonly headers: Readonly<Record<string, unknown>> } | undefined;
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
          remember(shared().replyProblems({ method, path, ...head, replyBody: Buffer.concat(chunks).toString('utf8') }));
        handler.onResponseEnd?.(controller, trailers);
      },
      onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
    });
  };
  return { intercept, problems: () => [...found] };
}

let document: CloudDocument | undefined;

/** One for all worlds of a process: compiling its schemas takes longer than a test. */
function shared(): CloudDocument {
  return (document ??= cloudDocument());
}
