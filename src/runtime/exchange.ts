import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Connection } from './connection.ts';
import { errorOfReply, KubernetesError, type FailedCall } from './kubernetes-error.ts';
import { reasonOf } from './unless-aborted.ts';

/** The options of each request to the API server. */
export interface RequestOptions {
  /** Ends the request with kind `aborted`. The API server may still carry out a sent request. */
  readonly signal?: AbortSignal;
  /** Milliseconds, real time. Default 30,000. */
  readonly timeoutMs?: number;
}

/** A request to the API server. */
export interface Call extends RequestOptions, FailedCall {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below the URL of the server, such as `/api/v1/secrets`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. Undefined: no body. */
  readonly body?: unknown;
  /** Default: `application/json`. */
  readonly contentType?: string;
  readonly accept: string;
}

/**
 * Sends a request once.
 * @param mayBeSent asked when the request goes to the socket: a process that was frozen while it waited for a connection
 *   could otherwise send an outdated write. False ends the call with kind `aborted`
 * @returns the answer as JSON; undefined if the body is no JSON
 * @throws {KubernetesError}
 */
export async function exchange(
  call: Call,
  {
    dispatcher,
    headers,
  }: { readonly dispatcher: Dispatcher; readonly headers: Readonly<Record<string, string>> },
  connection: Connection,
  mayBeSent: () => boolean,
): Promise<unknown> {
  const { operation, method, query, signal } = call;
  const { origin } = connection.server;
  const typed =
    call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' };
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
    reply = await replyTo(dispatcher, request, call, mayBeSent);
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    const kind =
      signal?.aborted || error instanceof WriteHeldBack
        ? 'aborted'
        : isLate
          ? 'timeout'
          : 'network';
    throw new KubernetesError({ operation, kind, cause: error });
  }
  const { status, text } = reply;
  if (status === 401) connection.distrust();
  const body = parsedJson(text);
  if (status >= 200 && status < 300) return body;
  throw errorOfReply(call, { status, body, retryAfter: [reply.headers['retry-after']].flat()[0] });
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
async function replyTo(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { signal, timeoutMs }: Call,
  mayBeSent: () => boolean,
): Promise<Reply> {
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
  const timer = setTimeout(
    () => end(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
    timeoutMs ?? 30_000,
  );
  try {
    dispatcher.dispatch(request, {
      // Undici calls this right before it writes the request. An abort here means that nothing is written.
      onRequestStart(controller) {
        sent = controller;
        if (ended) controller.abort(ended);
        else if (!mayBeSent()) end(new WriteHeldBack('this process may not write now'));
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

/**
 * Returns the URL of a path on a server. The server's URL may have a path itself, such as behind a
 * proxy for many clusters.
 */
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
class WriteHeldBack extends Error {
  override readonly name = 'WriteHeldBack';
}
