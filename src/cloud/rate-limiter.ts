import type { Clock } from './clock.ts';
import type { CallPriority, CloudOperation } from './cloud-api.ts';
import { CloudError } from './cloud-error.ts';

/** Spaces the calls of one API key. Edits go before resyncs, resyncs before reads. */
export interface RateLimiter {
  /**
   * Waits for the turn of a call.
   * @throws {CloudError} kind `rateLimited`, not sent, at once, if a pause lasts more than a second, or the earlier
   *   calls take too long. `retryAfterMs` is at most a minute, since another key may be used by then
   * @throws the signal's reason
   */
  acquire(operation: CloudOperation, priority: CallPriority, signal?: AbortSignal): Promise<void>;
  /** Gives no turn before this policy time; the latest of several times counts. Earlier turns stay valid. */
  pauseUntil(atMs: number): void;
}

interface RateLimiterOptions extends Partial<BucketSize> {
  /** Policy time. */
  readonly clock: Clock;
  /** Called after each wait, also after a wait that was refused or aborted. Real time. */
  readonly onWaited?: (priority: CallPriority, waitedMs: number) => void;
}

const longestPauseMs = 1_000;
/** Errors name the end of such a pause. */
export const longPauseMs = 60_000;
/** After a longer wait the call would not be sent: a change has ten seconds, a LIST half a minute. */
const longestQueueMs: Readonly<Record<CallPriority, number>> = {
  edit: 8_000,
  resync: 8_000,
  read: 30_000,
};
const longestRetryMs = 60_000;

interface Waiter {
  grant(): void;
  refuse(waitMs: number): void;
}

/** Makes a limiter with a full bucket. Default: 10 calls a second, 20 at once. */
export function rateLimiter({
  clock,
  perSecond = 10,
  burst = 20,
  onWaited,
}: RateLimiterOptions): RateLimiter {
  const size: BucketSize = { perSecond, burst };
  const line = waitingLine<Waiter>();
  const pause = pauseOf(clock);
  let bucket: Bucket = { tokens: burst, atMs: clock.now() };
  let timer: Disposable | undefined;

  const serve = () => {
    timer?.[Symbol.dispose]();
    timer = undefined;
    const nowMs = clock.now();
    bucket = refilled(bucket, nowMs, size);
    while (nowMs >= pause.untilMs() && bucket.tokens >= 1 && line.length > 0) {
      bucket = { ...bucket, tokens: bucket.tokens - 1 };
      line.takeNext()?.grant();
    }
    if (line.length === 0) return;
    const waitMs = Math.max(pause.untilMs() - nowMs, untilNextTokenMs(bucket, size), 1);
    timer = clock.schedule(waitMs, serve);
  };
  /** The wait of a new caller in milliseconds if it is too long, otherwise undefined. */
  const tooLongMs = (priority: CallPriority): number | undefined => {
    const pauseMs = pause.untilMs() - clock.now();
    if (pauseMs > longestPauseMs) return pauseMs;
    const queueMs = (line.before(priority) * 1_000) / perSecond;
    return queueMs > longestQueueMs[priority] ? queueMs : undefined;
  };

  return {
    acquire(operation, priority, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      const refusal = (waitMs: number) => noTurn(operation, waitMs, pause.longUntilMs());
      const waitMs = tooLongMs(priority);
      if (waitMs !== undefined) return Promise.reject(refusal(waitMs));
      const begunAt = performance.now();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const waiter: Waiter = {
        grant: resolve,
        refuse: (pauseMs) => reject(refusal(pauseMs)),
      };
      const onAbort = () => {
        line.leave(waiter, priority);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      line.join(waiter, priority);
      serve();
      return promise.finally(() => {
        signal?.removeEventListener('abort', onAbort);
        onWaited?.(priority, performance.now() - begunAt);
      });
    },
    pauseUntil(atMs) {
      const pauseMs = pause.extend(atMs);
      // Waiting callers would wait as long as new callers.
      if (pauseMs > longestPauseMs) while (line.length > 0) line.takeNext()?.refuse(pauseMs);
    },
  };
}

/** The tokens in a bucket at a policy time. The number of tokens may be a fraction. */
export interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

/** The number of tokens that a second adds, and the number of tokens in a full bucket. */
export interface BucketSize {
  readonly perSecond: number;
  readonly burst: number;
}

/** Returns the bucket with the tokens that came until now. A clock that went back adds no tokens. */
export function refilled({ tokens, atMs }: Bucket, nowMs: number, size: BucketSize): Bucket {
  const passedMs = Math.max(0, nowMs - atMs);
  return {
    tokens: Math.min(size.burst, tokens + (passedMs * size.perSecond) / 1_000),
    atMs: nowMs,
  };
}

/** Returns the milliseconds until the bucket has a whole token, rounded up. */
export function untilNextTokenMs({ tokens }: Bucket, { perSecond }: BucketSize): number {
  return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * 1_000) / perSecond);
}

/** At least 1 token in this many goes to a read, however many changes wait. */
const readEvery = 5;

/**
 * Returns the priority that gets the next token.
 * @param sinceRead the number of tokens for changes since a read got a token or began to wait
 * @returns undefined if no caller waits
 */
export function nextTurn(
  isWaiting: (priority: CallPriority) => boolean,
  sinceRead: number,
): CallPriority | undefined {
  if (isWaiting('read') && sinceRead >= readEvery - 1) return 'read';
  return (['edit', 'resync', 'read'] as const).find(isWaiting);
}

/** The waiting callers of an API key. */
export interface WaitingLine<W> {
  readonly length: number;
  /** The number of callers before a new caller of this priority. It omits the share of reads. */
  before(priority: CallPriority): number;
  join(waiter: W, priority: CallPriority): void;
  leave(waiter: W, priority: CallPriority): void;
  /** Removes and returns the caller that has the next turn ({@link nextTurn}), if any caller waits. */
  takeNext(): W | undefined;
}

/** Makes an empty line. Callers of a priority get their turns in the order in which they joined. */
export function waitingLine<W>(): WaitingLine<W> {
  // Sets keep their order, and a waiter in the middle can leave.
  const waiting: Readonly<Record<CallPriority, Set<W>>> = {
    edit: new Set(),
    resync: new Set(),
    read: new Set(),
  };
  let sinceRead = 0;
  return {
    get length() {
      return waiting.edit.size + waiting.resync.size + waiting.read.size;
    },
    before: (priority) =>
      waiting.edit.size +
      (priority === 'edit' ? 0 : waiting.resync.size) +
      (priority === 'read' ? waiting.read.size : 0),
    join(waiter, priority) {
      // Turns that changes got before this read began to wait do not count in its favour.
      if (priority === 'read' && waiting.read.size === 0) sinceRead = 0;
      waiting[priority].add(waiter);
    },
    leave(waiter, priority) {
      waiting[priority].delete(waiter);
    },
    takeNext() {
      const turn = nextTurn((priority) => waiting[priority].size > 0, sinceRead);
      const [waiter] = turn ? waiting[turn] : [];
      if (!turn || !waiter) return undefined;
      waiting[turn].delete(waiter);
      sinceRead = turn === 'read' ? 0 : sinceRead + 1;
      return waiter;
    },
  };
}

/** The pause that the cloud asked for. */
function pauseOf(clock: Clock) {
  let untilMs = 0;
  let longUntilMs = 0;
  return {
    untilMs: () => untilMs,
    /** The end of the pause if it was long from its begin: a name of the end that is the same for all callers. */
    longUntilMs: () => (longUntilMs === untilMs && untilMs > clock.now() ? untilMs : undefined),
    /**
     * Lengthens the pause to this policy time, unless it lasts longer.
     * @returns the milliseconds that the pause lasts from now on
     */
    extend(atMs: number): number {
      untilMs = Math.max(untilMs, atMs);
      const leftMs = untilMs - clock.now();
      if (leftMs >= longPauseMs) longUntilMs = untilMs;
      return leftMs;
    },
  };
}

function noTurn(
  operation: CloudOperation,
  waitMs: number,
  pausedUntilMs: number | undefined,
): CloudError {
  const retryAfterMs = Math.min(Math.ceil(waitMs), longestRetryMs);
  return new CloudError({
    operation,
    kind: 'rateLimited',
    sent: false,
    fromApi: false,
    retryAfterMs,
    pausedUntilMs,
  });
}
