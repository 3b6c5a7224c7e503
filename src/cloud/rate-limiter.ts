import type { Clock } from './clock.ts';
import type { CallPriority, CloudOperation } from './cloud-api.ts';
import { CloudError } from './cloud-error.ts';

export interface RateLimiter {
  /**
   * Waits for the turn of a call, unless the wait would be long.
   * @param operation for errors
   * @throws {CloudError} kind `rateLimited`, not sent, at once, if a pause lasts more than a second, or the earlier
   *   calls take too long. `retryAfterMs` is at most a minute, since another key may be used by then
   * @throws the signal's reason
   */
  acquire(operation: CloudOperation, priority: CallPriority, signal?: AbortSignal): Promise<void>;
  /** Gives no turn before this policy time; the latest of several times counts. Earlier turns stay valid. */
  pauseUntil(atMs: number): void;
}

export interface RateLimiterOptions extends Partial<BucketSize> {
  readonly clock: Clock;
}

const longestPauseMs = 1_000;
/** After a longer wait the call would not be sent: a change has ten seconds, a LIST half a minute. */
const longestQueueMs: Readonly<Record<CallPriority, number>> = { edit: 8_000, resync: 8_000, read: 30_000 };
const longestRetryMs = 60_000;

interface Waiter {
  grant(): void;
  refuse(waitMs: number): void;
}

/** Full at first. Default: 10 calls a second, 20 at once. */
export function rateLimiter({ clock, perSecond = 10, burst = 20 }: RateLimiterOptions): RateLimiter {
  const size: BucketSize = { perSecond, burst };
  const line = waitingLine();
  let bucket: Bucket = { tokens: burst, atMs: clock.now() };
  let pausedUntilMs = 0;
  let timer: Disposable | undefined;

  /** The wait of a new caller in milliseconds if it is too long, otherwise undefined. */
  const tooLongMs = (priority: CallPriority): number | undefined => {
    const pauseMs = pausedUntilMs - clock.now();
    if (pauseMs > longestPauseMs) return pauseMs;
    const queueMs = (line.before(priority) * 1_000) / perSecond;
    return queueMs > longestQueueMs[priority] ? queueMs : undefined;
  };
  const serve = () => {
    timer?.[Symbol.dispose]();
    timer = undefined;
    const now = clock.now();
    bucket = refilled(bucket, now, size);
    while (bucket.tokens >= 1 && line.length > 0) {
      if (now < pausedUntilMs) break;
      bucket = { ...bucket, tokens: bucket.tokens - 1 };
      line.leaveFirst()?.grant();
    }
    if (line.length > 0) timer = clock.schedule(Math.max(pausedUntilMs - now, untilNextTokenMs(bucket, size), 1), serve);
  };

  return {
    acquire(operation, priority, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      const waitMs = tooLongMs(priority);
      if (waitMs !== undefined) return Promise.reject(noTurn(operation, waitMs));
      const { waiter, turn } = newWaiter(operation, signal, () => line.leave(waiter, priority));
      line.join(waiter, priority);
      serve();
      return turn;
    },
    pauseUntil(atMs) {
      pausedUntilMs = Math.max(pausedUntilMs, atMs);
      const pauseMs = pausedUntilMs - clock.now();
      // Waiting callers would wait as long as new callers.
      if (pauseMs > longestPauseMs) while (line.length > 0) line.leaveFirst()?.refuse(pauseMs);
    },
  };
}

/** The waiting callers, and the order in which they get their turns. */
function waitingLine() {
  // Sets keep their order, and a waiter in the middle can leave.
  const waiting: Readonly<Record<CallPriority, Set<Waiter>>> = { edit: new Set(), resync: new Set(), read: new Set() };
  let sinceRead = 0;
  return {
    get length() {
      return waiting.edit.size + waiting.resync.size + waiting.read.size;
    },
    /** The number of callers before a new caller, except for the share of reads. */
    before: (priority: CallPriority): number =>
      waiting.edit.size + (priority === 'edit' ? 0 : waiting.resync.size) + (priority === 'read' ? waiting.read.size : 0),
    join(waiter: Waiter, priority: CallPriority) {
      // Turns that changes got before this read began to wait do not count in its favour.
      if (priority === 'read' && waiting.read.size === 0) sinceRead = 0;
      waiting[priority].add(waiter);
    },
    leave: (waiter: Waiter, priority: CallPriority) => void waiting[priority].delete(waiter),
    leaveFirst(): Waiter | undefined {
      const turn = nextTurn((priority) => waiting[priority].size > 0, sinceRead);
      const [waiter] = turn ? waiting[turn] : [];
      if (!turn || !waiter) return undefined;
      waiting[turn].delete(waiter);
      sinceRead = turn === 'read' ? 0 : sinceRead + 1;
      return waiter;
    },
  };
}

/** @param leave called when the signal aborts */
function newWaiter(operation: CloudOperation, signal: AbortSignal | undefined, leave: () => void) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = () => {
    leave();
    reject(signal?.reason);
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  const waiter: Waiter = { grant: resolve, refuse: (pauseMs) => reject(noTurn(operation, pauseMs)) };
  return { waiter, turn: promise.finally(() => signal?.removeEventListener('abort', onAbort)) };
}

function noTurn(operation: CloudOperation, waitMs: number): CloudError {
  const retryAfterMs = Math.min(Math.ceil(waitMs), longestRetryMs);
  return new CloudError({ operation, kind: 'rateLimited', sent: false, fromApi: false, retryAfterMs });
}

/** Tokens at a moment. Pure data. */
export interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

export interface BucketSize {
  readonly perSecond: number;
  readonly burst: number;
}

/** The bucket with the tokens since then. A clock that went back adds none. */
export function refilled({ tokens, atMs }: Bucket, nowMs: number, { perSecond, burst }: BucketSize): Bucket {
  const passedMs = Math.max(0, nowMs - atMs);
  return { tokens: Math.min(burst, tokens + (passedMs * perSecond) / 1_000), atMs: nowMs };
}

/** Milliseconds until there is a whole token. */
export function untilNextTokenMs({ tokens }: Bucket, { perSecond }: BucketSize): number {
  return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * 1_000) / perSecond);
}

/** At least 1 token in this many goes to a read, however many changes wait. */
const readEvery = 5;

/** The priority that gets the next token. `sinceRead`: tokens for changes since a read got a token or began to wait. */
export function nextTurn(isWaiting: (priority: CallPriority) => boolean, sinceRead: number): CallPriority | undefined {
  if (isWaiting('read') && sinceRead >= readEvery - 1) return 'read';
  return (['edit', 'resync', 'read'] as const).find(isWaiting);
}
