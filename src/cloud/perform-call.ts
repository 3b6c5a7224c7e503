import type { Dispatcher } from 'undici';
import type { CallOptions, CloudOperation } from './cloud-api.ts';
import { CloudError, TransportFailure } from './cloud-error.ts';
import type { Deadline } from './deadline.ts';
import { fieldOf } from './fields.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { readSuccess, replyError } from './read-reply.ts';
import type { Cleaner, Redaction } from './redaction.ts';
import { operations } from './wire/all.ts';
import { methodOf } from './wire/operation.ts';
import type { IncomingHttpHeaders } from 'node:http';

export interface Line {
  readonly baseUrl: URL;
  readonly apiKey: string;
  readonly userAgent: string;
  /** Connections that are kept. */
  readonly shared: Dispatcher.Dispatch;
  /** For creates: new connections, or connections that had an answer a moment ago. */
  readonly recent: Dispatcher.Dispatch;
  readonly limiter: RateLimiter | undefined;
  readonly redaction: Redaction;
}

export interface CloudCall {
  readonly operation: CloudOperation;
  readonly ids: readonly string[];
  readonly body: object | undefined;
  readonly options: CallOptions;
  readonly end: Deadline;
  /** Called when the call has its place in the rate limit. */
  readonly hasTurn: () => void;
}

export type CallResult =
  | { readonly error: undefined; readonly status: number; readonly value: unknown; readonly unknownFields: ReadonlySet<string> }
  | { readonly error: CloudError };

/** A list of ten thousand services has about ten megabytes. */
const maxReplyBytes = 64 * 1024 * 1024;
const maxErrorBytes = 64 * 1024;

/** Performs a call: waits for the rate limit, sends a single request, and interprets the result. */
export async function performCall(line: Line, call: CloudCall): Promise<CallResult> {
  const { operation, options, end } = call;
  const { effect } = operations[operation];
  const request = requestOf(line, call);
  if (request instanceof CloudError) return { error: request };
  try {
    if (!options.permit) await line.limiter?.acquire(operation, options.priority ?? (effect === 'read' ? 'read' : 'edit'), end.signal);
  } catch (error) {
    // The rate limit refused the call, or the call's time was over before its turn.
    const kind = end.kind === 'timeout' ? 'rateLimited' : end.kind;
    return { error: error instanceof CloudError ? error : new CloudError({ operation, kind, sent: false, fromApi: false }) };
  }
  call.hasTurn();
  const cleaner = line.redaction.about(call.ids, secretsIn(call.body));
  const outcome = await exchange(effect === 'create' ? line.recent : line.shared, request, {
    signal: end.signal,
    mayBeSent: options.mayBeSent ?? (() => true),
    maxBytes: (status) => (isSuccess(status) ? maxReplyBytes : maxErrorBytes),
  });
  if (outcome.type !== 'replied') return { error: failure(operation, outcome, end, cleaner) };
  return resultOf(call, outcome.reply, cleaner);
}

async function resultOf({ operation, ids }: CloudCall, reply: Reply, cleaner: Cleaner): Promise<CallResult> {
  if (!isSuccess(reply.status)) return { error: replyError(operation, reply, cleaner) };
  try {
    const { value, unknownFields } = await readSuccess(operation, ids, reply);
    for (const { of, secret } of initialPasswordsIn(value)) cleaner.remember(of, secret);
    return { error: undefined, status: reply.status, value, unknownFields };
  } catch (error) {
    if (error instanceof CloudError) return { error };
    throw error;
  }
}

function requestOf(line: Line, { operation, ids, body }: CloudCall): Dispatcher.DispatchOptions | CloudError {
  const { baseUrl, apiKey, userAgent } = line;
  const { effect, path: template } = operations[operation];
  const path = requestPath(baseUrl, template, ids);
  const refused = { operation, sent: false, fromApi: false } as const;
  if (path === undefined) return new CloudError({ ...refused, kind: 'invalid', field: 'an id that cannot stand in a path' });
  if (!/^[\x21-\x7e]+$/u.test(apiKey)) {
    return new CloudError({ ...refused, kind: 'unauthorized', field: 'an API key is visible ASCII characters without blanks' });
  }
  const headers = { authorization: `Bearer ${apiKey}`, accept: 'application/json', 'user-agent': userAgent };
  const request = { origin: baseUrl.origin, path, method: methodOf[effect] };
  if (body === undefined) return { ...request, headers };
  return { ...request, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function failure(operation: CloudOperation, outcome: Exclude<Exchange, { type: 'replied' }>, end: Deadline, cleaner: Cleaner): CloudError {
  const common = { operation, sent: outcome.sent, fromApi: false } as const;
  switch (outcome.type) {
    case 'ended':
      return new CloudError({ ...common, kind: end.kind, ...(outcome.status !== undefined && { status: outcome.status }) });
    case 'heldBack':
      return new CloudError({ ...common, kind: 'aborted' });
    case 'failed': {
      const code = codeOf(outcome.error);
      const cause = new TransportFailure(cleaner.clean(messageOf(outcome.error)), code);
      return new CloudError({ ...common, kind: closedByUs.has(code ?? '') ? 'aborted' : 'network', cause });
    }
  }
}

/** Codes of a client that was disposed of. */
const closedByUs: ReadonlySet<string> = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

const secretFields = ['password', 'initial_password'] as const;

function secretsIn(value: unknown): readonly string[] {
  return secretFields.map((name) => fieldOf(value, name)).filter((secret) => typeof secret === 'string');
}

/** Initial passwords in a service or a list of services, with the service ids. */
function initialPasswordsIn(value: unknown): readonly { readonly of: string; readonly secret: string }[] {
  if (Array.isArray(value)) return value.flatMap(initialPasswordsIn);
  const id = fieldOf(value, 'service_id');
  return typeof id === 'string' ? secretsIn(value).map((secret) => ({ of: id, secret })) : [];
}

/**
 * The path of the base URL, then the operation's path with percent-encoded ids. Undefined when an id is missing or left
 * over: the rest would stand in wrong places. Undefined for an id that is empty, `.`, `..` (which servers take for a
 * folder), or not well-formed text.
 */
export function requestPath(baseUrl: URL, path: string, ids: readonly string[]): string | undefined {
  const fixed = path.split(/\{\w+\}/u);
  if (ids.length !== fixed.length - 1 || !ids.every(fitsInPath)) return undefined;
  const filled = fixed.map((part, index) => (index === 0 ? part : encodeURIComponent(ids[index - 1] ?? '') + part));
  return baseUrl.pathname.replace(/\/+$/u, '') + filled.join('');
}

function fitsInPath(id: string): boolean {
  return id !== '' && id !== '.' && id !== '..' && id.isWellFormed();
}

/** Several addresses may have been tried. */
function messageOf(error: Error): string {
  const errors = error instanceof AggregateError ? error.errors.filter((each) => each instanceof Error) : [];
  return error.message || errors.map(({ message }) => message).join(', ') || codeOf(error) || error.name;
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

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
  /** By status. */
  readonly maxBytes: (status: number) => number;
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
    if (this.#length <= this.#options.maxBytes(this.#head.status)) return;
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
