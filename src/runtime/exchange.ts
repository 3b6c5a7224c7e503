import { request, type Dispatcher } from 'undici';
import type { Connection } from './connection.ts';
import { errorOfReply, KubernetesError } from './kubernetes-error.ts';
import { unlessAborted } from './unless-aborted.ts';
import { WriteHeldBack } from './write-gate.ts';

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds, real time. Default 30,000. */
  readonly timeoutMs?: number;
}

/** One request to the API server. */
export interface Call extends RequestOptions {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept: string;
  /** Removes text from the server's message that must not be repeated, such as a password. */
  readonly clean?: (text: string) => string;
  /** The operation, for error messages: `patch managedservices shop/orders`. */
  readonly operation: string;
}

/** Sends a request once. @returns the answer as JSON; undefined if the body is no JSON @throws {KubernetesError} */
export async function exchange(
  call: Call,
  dispatcher: Dispatcher,
  headers: Record<string, string>,
  connection: Connection,
): Promise<unknown> {
  const timeout = AbortSignal.timeout(call.timeoutMs ?? 30_000);
  const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout;
  let status: number;
  let text: string;
  let retryAfter: string | undefined;
  try {
    const begun = request(new URL(joined(connection.server, call.path)), {
      dispatcher,
      method: call.method,
      query: call.query ?? {},
      signal,
      headers: {
        ...headers,
        accept: call.accept,
        ...(call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' }),
      },
      body: call.body === undefined ? null : JSON.stringify(call.body),
      // Without it, undici closes the connection after each DELETE with a body.
      reset: false,
    });
    const reply = await unlessAborted(begun, signal);
    status = reply.statusCode;
    [retryAfter] = [reply.headers['retry-after']].flat();
    text = await reply.body.text();
  } catch (error) {
    const kind = call.signal?.aborted || error instanceof WriteHeldBack ? 'aborted' : timeout.aborted ? 'timeout' : 'network';
    throw new KubernetesError({ operation: call.operation, kind, cause: error });
  }
  if (status === 401) connection.distrust();
  const body = parsedJson(text);
  if (status >= 200 && status < 300) return body;
  throw errorOfReply(call.operation, status, body, retryAfter, call.clean);
}

/** The URL of a path on a server. The server's URL may have a path itself, such as behind a proxy for many clusters. */
export function joined(server: URL, path: string): string {
  return `${server.origin}${server.pathname.replace(/\/$/u, '')}${path}`;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // such as the HTML page of a proxy: the HTTP status says enough
  }
}
