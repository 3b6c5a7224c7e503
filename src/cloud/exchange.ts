import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

/** A list of ten thousand services has about ten megabytes. */
const maxReplyBytes = 64 * 1024 * 1024;
const maxErrorBytes = 64 * 1024;

/**
 * The result of a request on the wire, not yet interpreted. `sent`: a byte of the request may have
 * left.
 * - `replied`: a reply arrived, perhaps cut.
 * - `ended`: the signal of the call aborted. `status`: the status of the reply, if its head had
 *   arrived.
 * - `heldBack`: `mayBeSent` returned false, so no byte left.
 * - `failed`: no reply arrived, such as after a broken connection.
 */
export type Exchange =
  | { readonly type: 'replied'; readonly sent: true; readonly reply: Reply }
  | { readonly type: 'ended'; readonly sent: boolean; readonly status: number | undefined }
  | { readonly type: 'heldBack'; readonly sent: false }
  | { readonly type: 'failed'; readonly sent: boolean; readonly error: Error };

/** An HTTP reply with its body as text. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /**
   * Why the body is incomplete. Undefined for a complete body.
   * - `tooLong`: the body exceeds the limit (64 MiB of a success, 64 KiB of an error).
   * - `connectionLost`: the connection broke after the head of the reply.
   */
  readonly cut: 'tooLong' | 'connectionLost' | undefined;
}

interface ExchangeOptions {
  readonly signal: AbortSignal;
  readonly mayBeSent: () => boolean;
}

/** Whether an HTTP status is a 2xx. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/**
 * Sends a request and collects its reply. Never throws and never repeats. Returns as soon as the signal aborts; a
 * request that still waits for a connection then is never sent.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { signal, mayBeSent }: ExchangeOptions,
): Promise<Exchange> {
  const { promise, resolve } = Promise.withResolvers<Exchange>();
  const chunks: Buffer[] = [];
  let length = 0;
  let head: Pick<Reply, 'status' | 'headers'> | undefined;
  /** Undefined until the request is sent. */
  let running: Dispatcher.DispatchController | undefined;
  let isSettled = false;
  const settle = (outcome: Exchange) => {
    if (isSettled) return;
    isSettled = true;
    signal.removeEventListener('abort', end);
    resolve(outcome);
  };
  const end = () => {
    settle({ type: 'ended', sent: running !== undefined, status: head?.status });
    running?.abort(new Error('call ended'));
  };
  const settleReply = (cut: Reply['cut']) => {
    if (head)
      settle({
        type: 'replied',
        sent: true,
        reply: { ...head, body: Buffer.concat(chunks).toString('utf8'), cut },
      });
  };
  const fail = (error: unknown) => {
    settleReply('connectionLost');
    settle({
      type: 'failed',
      sent: running !== undefined,
      error: error instanceof Error ? error : new Error('dispatch failed'),
    });
  };
  if (signal.aborted) {
    end();
    return promise;
  }
  signal.addEventListener('abort', end);
  try {
    dispatcher.dispatch(request, {
      // Undici calls this right before it writes the request. An abort here means that nothing is written.
      onRequestStart(controller) {
        if (!isSettled && !mayBeSent()) settle({ type: 'heldBack', sent: false });
        if (isSettled) controller.abort(new Error('not sent'));
        else running = controller;
      },
      onResponseStart(_controller, status, headers) {
        if (status >= 200) head = { status, headers };
      },
      onResponseData(controller, chunk) {
        if (isSettled || !head) return;
        length += chunk.length;
        chunks.push(chunk);
        if (length <= (isSuccess(head.status) ? maxReplyBytes : maxErrorBytes)) return;
        settleReply('tooLong');
        controller.abort(new Error('reply too long'));
      },
      onResponseEnd: () => settleReply(undefined),
      onResponseError: (_controller, error) => fail(error),
    });
  } catch (error) {
    fail(error);
  }
  return promise;
}
