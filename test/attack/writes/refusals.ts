import type { Dispatcher } from 'undici';
import { withoutParts } from '../../support/altering.ts';
import { holdsOf, purposes, type Purpose, type Write } from './purpose.ts';

/**
 * A refusal of a write by Kubernetes. With status 200 Kubernetes drops the content of the entry, the
 * finalizer or the password, from this write and all later writes.
 */
export interface Refusal {
  readonly title: string;
  /** Undefined: the write is carried out, and the connection breaks before the answer. */
  readonly status: number | undefined;
  readonly reason?: string;
  readonly retryAfterSeconds?: number;
  /** How often; left out: until it ends. */
  readonly times?: number;
  /** Which of the two: the question whether it would be taken, or the write itself. Default: both. */
  readonly strikes?: 'dry runs' | 'real writes';
  /**
   * The report of the operator. `words`: the words of Kubernetes. `trouble`: any report of trouble.
   * `nothing`: the refusal ends before a report is due.
   */
  readonly told: 'words' | 'trouble' | 'nothing';
  /** Default: {@link refusedWords}. */
  readonly words?: string;
}

export const refusals: readonly Refusal[] = [
  { title: '400 by a webhook', status: 400, told: 'words' },
  { title: '403', status: 403, reason: 'Forbidden', told: 'words' },
  { title: '409 three times', status: 409, reason: 'Conflict', times: 3, told: 'nothing' },
  { title: '409 each time', status: 409, reason: 'Conflict', told: 'trouble' },
  { title: '413', status: 413, reason: 'RequestEntityTooLarge', told: 'words' },
  { title: '422', status: 422, reason: 'Invalid', told: 'words' },
  {
    title: '429 with Retry-After',
    status: 429,
    reason: 'TooManyRequests',
    retryAfterSeconds: 1,
    told: 'trouble',
  },
  { title: '500', status: 500, reason: 'InternalError', told: 'words' },
  {
    title: '200, but changed',
    status: 200,
    told: 'words',
    words: 'a mutating webhook or policy changes it',
  },
  { title: 'no answer', status: undefined, told: 'trouble' },
  {
    title: '403 in a dry run only',
    status: 403,
    reason: 'Forbidden',
    strikes: 'dry runs',
    told: 'words',
  },
  {
    title: '403, but not in a dry run',
    status: 403,
    reason: 'Forbidden',
    strikes: 'real writes',
    told: 'words',
  },
];

/** The words of the webhook that refuses. */
export const refusedWords =
  'admission webhook guard.example.com denied the request: not in this cluster';

/**
 * Stands between an operator and Kubernetes, and refuses the writes with a given purpose while it is closed.
 */
export interface Gate {
  readonly intercept: Dispatcher.DispatcherComposeInterceptor;
  close(): void;
  open(): void;
  /** Performance time of each write that was refused. */
  readonly refused: readonly number[];
  /** Each purpose for which something was written, with the path of the first. */
  readonly seen: ReadonlyMap<Purpose, string>;
  /** Passwords that were sent to the cloud before any Secret had them. */
  readonly homeless: number;
  /** How many passwords were sent to the cloud since the gate was closed. */
  readonly sentWhileClosed: number;
}

export function gate(purpose: Purpose, refusal: Refusal): Gate {
  const read = purposes();
  const seen = new Map<Purpose, string>();
  const stored = new Set<string>();
  const refused: number[] = [];
  const state = { isClosed: false, homeless: 0, sentWhileClosed: 0 };
  const isRefused = (write: Write) => {
    const isIts =
      write.purpose === purpose ||
      (refusal.status === 200 && refused.length > 0 && write.holds === holdsOf(purpose));
    if (!state.isClosed || !isIts || refused.length >= (refusal.times ?? Number.POSITIVE_INFINITY))
      return false;
    return refusal.strikes === undefined || write.isDryRun === (refusal.strikes === 'dry runs');
  };
  const watchPasswords = ({ method, path, body }: Dispatcher.DispatchOptions) => {
    if (method !== 'POST' || !path.endsWith('/updatePassword') || typeof body !== 'string') return;
    if (![...stored].some((password) => body === JSON.stringify({ password }))) state.homeless += 1;
    if (state.isClosed) state.sentWhileClosed += 1;
  };
  const intercept: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    const write = read(options);
    if (!write) {
      watchPasswords(options);
      return dispatch(options, handler);
    }
    if (!seen.has(write.purpose)) seen.set(write.purpose, `${options.method} ${options.path}`);
    const landed = () => {
      write.done();
      if (!write.isDryRun && write.password !== undefined) stored.add(write.password);
    };
    if (!isRefused(write)) return dispatch(options, onSuccess(handler, landed));
    refused.push(performance.now());
    if (refusal.status === undefined) return dispatch(options, unanswered(handler, landed));
    if (refusal.status === 200 && write.holds && typeof options.body === 'string')
      return dispatch({ ...options, body: withoutParts(options.body, [write.holds]) }, handler);
    answer(handler, refusal.status, refusal);
    return true;
  };
  return {
    intercept,
    close: () => void (state.isClosed = true),
    open: () => void (state.isClosed = false),
    refused,
    seen,
    get homeless() {
      return state.homeless;
    },
    get sentWhileClosed() {
      return state.sentWhileClosed;
    },
  };
}

type Handler = Dispatcher.DispatchHandler;

function onSuccess(handler: Handler, landed: () => void): Handler {
  return {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onResponseStart(controller, status, headers, message) {
      if (status < 300) landed();
      handler.onResponseStart?.(controller, status, headers, message);
    },
    onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
    onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
  };
}

const nothing = () => undefined;

/** The request is carried out; the connection breaks before the reply. */
function unanswered(handler: Handler, landed: () => void): Handler {
  return {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onResponseStart(_controller, status) {
      if (status < 300) landed();
    },
    onResponseData: nothing,
    onResponseEnd: (controller) =>
      handler.onResponseError?.(
        controller,
        Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
      ),
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
  };
}

/** Answers as the API server does; nothing is sent. */
function answer(handler: Handler, status: number, { reason, retryAfterSeconds }: Refusal): void {
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
  const body = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message: refusedWords,
    reason,
    code: status,
    ...details,
  };
  const controller = new NoConnection();
  setImmediate(() => {
    handler.onRequestStart?.(controller, {});
    const headers = {
      'content-type': 'application/json',
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': `${retryAfterSeconds}` }),
    };
    handler.onResponseStart?.(controller, status, headers, '');
    handler.onResponseData?.(controller, Buffer.from(JSON.stringify(body)));
    handler.onResponseEnd?.(controller, {});
  });
}

class NoConnection implements Dispatcher.DispatchController {
  aborted = false;
  paused = false;
  reason: Error | null = null;
  abort(reason: Error): void {
    this.aborted = true;
    this.reason = reason;
  }
  pause(): void {
    this.paused = true;
  }
  resume(): void {
    this.paused = false;
  }
}
