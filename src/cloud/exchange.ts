import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

/** A list of ten thousand services has about ten megabytes. */
const maxReplyBytes = 64 * 1024 * 1024;
const maxErrorBytes = 64 * 1024;

/** The result of a request on the wire, not yet interpreted. `sent`: a byte of the request may have left. */
export type Exchange =
  | { readonly type: 'replied'; readonly sent: true; readonly reply: Reply }
  /** The signal of the call aborted. */
  | { readonly type: 'ended'; readonly sent: boolean; readonly status: number | undefined }
  /** `mayBeSent` returned false. */
  | { readonly type: 'heldBack'; readonly sent: false }
  | { readonly type: 'failed'; readonly sent: boolean; readonly error: Error };

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly cut: 'tooLong' | 'connectionLost' | undefined;
}

export interface ExchangeOptions {
  readonly signal: AbortSignal;
  readonly mayBeSent: () => boolean;
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/**
 * Sends a request and collects its reply. Never throws and never repeats. Returns as soon as the signal aborts; a
 * request that still waits for a connection then is never sent.
 */
export function exchange(dispatch: Dispatcher.Dispatch, request: Dispatcher.DispatchOptions, options: ExchangeOptions): Promise<Exchange> {
  const { promise, resolve } = Promise.withResolvers<Exchange>();
  const collector = new ReplyCollector(options, resolve);
  if (!collector.settled) {
    try {
      dispatch(request, collector);
    } catch (error) {
      collector.onResponseError(null, error instanceof Error ? error : new Error('dispatch failed'));
    }
  }
  return promise;
}

class ReplyCollector implements Dispatcher.DispatchHandler {
  settled = false;
  readonly #options: ExchangeOptions;
  readonly #resolve: (exchange: Exchange) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #sent = false;
  #head: Pick<Reply, 'status' | 'headers'> | undefined;
  readonly #chunks: Buffer[] = [];
  #length = 0;

  constructor(options: ExchangeOptions, resolve: (exchange: Exchange) => void) {
    this.#options = options;
    this.#resolve = resolve;
    if (options.signal.aborted) this.#end();
    else options.signal.addEventListener('abort', this.#end);
  }

  /** Undici calls this right before it writes the request. An abort here means that nothing is written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (!this.settled && !this.#options.mayBeSent()) this.#settle({ type: 'heldBack', sent: false });
    if (this.settled) {
      controller.abort(new Error('not sent'));
      return;
    }
    this.#controller = controller;
    this.#sent = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status >= 200) this.#head = { status, headers };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.settled || !this.#head) return;
    this.#length += chunk.length;
    this.#chunks.push(chunk);
    if (this.#length <= (isSuccess(this.#head.status) ? maxReplyBytes : maxErrorBytes)) return;
    this.#settleReply(this.#head, 'tooLong');
    controller.abort(new Error('reply too long'));
  }

  onResponseEnd(): void {
    if (this.#head) this.#settleReply(this.#head, undefined);
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#head) this.#settleReply(this.#head, 'connectionLost');
    else this.#settle({ type: 'failed', sent: this.#sent, error });
  }

  readonly #end = (): void => {
    this.#settle({ type: 'ended', sent: this.#sent, status: this.#head?.status });
    this.#controller?.abort(new Error('call ended'));
  };

  #settleReply(head: Pick<Reply, 'status' | 'headers'>, cut: Reply['cut']): void {
    this.#settle({ type: 'replied', sent: true, reply: { ...head, body: Buffer.concat(this.#chunks).toString('utf8'), cut } });
  }

  #settle(outcome: Exchange): void {
    if (this.settled) return;
    this.settled = true;
    this.#options.signal.removeEventListener('abort', this.#end);
    this.#resolve(outcome);
  }
}
