import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Connection } from './connection.ts';
import { errorOfReply, KubernetesError } from './kubernetes-error.ts';
import { reasonOf } from './unless-aborted.ts';

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds, real time. Default 30,000. */
  readonly timeoutMs?: number;
}

export interface Call extends RequestOptions {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept: string;
  /** Removes secret text from the server's message. */
  readonly clean?: (text: string) => string;
  /** For error messages: `patch managedservices shop/orders`. */
  readonly operation: string;
}

/** Sends a request once. @returns the answer as JSON; undefined if the body is no JSON @throws {KubernetesError} */
export async function exchange(
  call: Call,
  dispatch: Dispatcher.Dispatch,
  headers: Record<string, string>,
  connection: Connection,
): Promise<unknown> {
  const { operation, method, query, clean, signal } = call;
  const { origin } = connection.server;
  const typed = call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' };
  const request: Dispatcher.DispatchOptions = {
    origin,
    path: pathOn(connection.server, call.path),
    method,
    ...(query ? { query } : {}),
    headers: { ...headers, accept: call.accept, ...typed },
    body: call.body === undefined ? null : JSON.stringify(call.body),
    // Without it, undici closes the connection after each DELETE with a body.
    reset: false,
  };
  let reply: Reply;
  try {
    reply = await replyTo(dispatch, request, call);
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    const kind = signal?.aborted || error instanceof WriteHeldBack ? 'aborted' : isLate ? 'timeout' : 'network';
    throw new KubernetesError({ operation, kind, cause: error });
  }
  const { status, text } = reply;
  if (status === 401) connection.distrust();
  const body = parsedJson(text);
  if (status >= 200 && status < 300) return body;
  throw errorOfReply(operation, status, body, [reply.headers['retry-after']].flat()[0], clean);
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * Sends a request without the body stream and the signals of undici's `request`. Rejects as soon as the time is over or
 * the signal aborts; a request that waits for a connection is then never sent.
 */
async function replyTo(dispatch: Dispatcher.Dispatch, request: Dispatcher.DispatchOptions, { signal, timeoutMs }: Call): Promise<Reply> {
  if (signal?.aborted) throw reasonOf(signal);
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const chunks: Buffer[] = [];
  let head: Omit<Reply, 'text'> = { status: 0, headers: {} };
  let sent: Dispatcher.DispatchController | undefined;
  let ended: Error | undefined;
  const end = (why: Error) => {
    ended = why;
    reject(why);
    sent?.abort(why);
  };
  const abort = () => end(reasonOf(signal));
  signal?.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(() => end(new DOMException('The operation was aborted due to timeout', 'TimeoutError')), timeoutMs ?? 30_000);
  try {
    dispatch(request, {
      onRequestStart(controller) {
        sent = controller;
        if (ended) controller.abort(ended);
      },
      onResponseStart: (_controller, status, headers) => void (head = { status, headers }),
      onResponseData: (_controller, chunk) => void chunks.push(chunk),
      onResponseEnd: () => resolve({ ...head, text: Buffer.concat(chunks).toString() }),
      onResponseError: (_controller, error) => reject(error),
    });
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** The server's URL may have a path itself, such as behind a proxy for many clusters. */
export function joined(server: URL, path: string): string {
  return `${server.origin}${pathOn(server, path)}`;
}

function pathOn(server: URL, path: string): string {
  return `${server.pathname.replace(/\/$/u, '')}${path}`;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // such as the HTML page of a proxy: the HTTP status says enough
  }
}

/** A write that was not sent: this process lost its permission before a connection was available. */
export class WriteHeldBack extends Error {
  override readonly name = 'WriteHeldBack';
}

/**
 * Lets reads pass, and checks each write when it goes to the socket: a process that was frozen while it waited for a
 * connection could otherwise send an outdated write. A write that is held back fails with {@link WriteHeldBack}.
 */
export function writeGate(mayWrite: () => boolean): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    if (options.method === 'GET' || options.method === 'HEAD') return dispatch(options, handler);
    return dispatch(options, {
      // Undici calls this right before it writes the request. An abort here means that nothing is written.
      onRequestStart(controller, context) {
        if (mayWrite()) handler.onRequestStart?.(controller, context);
        else controller.abort(new WriteHeldBack('this process may not write now'));
      },
      onResponseStart: (controller, status, headers, message) => handler.onResponseStart?.(controller, status, headers, message),
      onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
      onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
      onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
    });
  };
}
