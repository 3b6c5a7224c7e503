import type { CallPriority, CloudOperation, Permit } from './cloud-api.ts';
import { CloudError } from './cloud-error.ts';
import type { Clock } from './clock.ts';
import { nextTurn, refilled, untilNextTokenMs, type Bucket, type BucketSize } from './token-bucket.ts';

/** The rate limit of one API key. */
export interface RateLimiter {
  /**
   * Waits for its turn, if that comes soon.
   * @param operation for errors
   * @throws {CloudError} kind `rateLimited`, not sent, at once, while a pause lasts for more than a second or half a minute's calls are waiting;
   * `retryAfterMs` is a minute at most, since another key may be used by then. Or the signal's reason.
   */
  acquire(operation: CloudOperation, priority: CallPriority, signal?: AbortSignal): Promise<Permit>;
  /** Nobody gets a turn before this policy time; of several, the latest counts. Permits given out before stay good. */
  pauseUntil(atMs: number): void;
  /** Policy time until which nobody gets a turn; undefined when it has passed. */
  readonly pausedUntil: number | undefined;
}

export interface RateLimiterOptions extends Partial<BucketSize> {
  readonly clock: Clock;
}

const longestPauseMs = 1_000;
const longestQueueMs = 30_000;
const longestRetryMs = 60_000;

interface Waiter {
  grant(permit: Permit): void;
  refuse(waitMs: number): void;
}

/** One token bucket, full at first: 10 calls a second, 20 at once, unless told otherwise. */
export function rateLimiter({ clock, perSecond = 10, burst = 20 }: RateLimiterOptions): RateLimiter {
  const size: BucketSize = { perSecond, burst };
  const line = waitingLine();
  let bucket: Bucket = { tokens: burst, atMs: clock.now() };
  let pausedUntilMs = 0;
  let timer: Disposable | undefined;

  const permit = (): Permit => {
    let held = true;
    return {
      release() {
        if (!held) return;
        held = false;
        bucket = { ...bucket, tokens: Math.min(burst, bucket.tokens + 1) };
        serve();
      },
    };
  };
  /** How long whoever comes now would wait; undefined when that is not too long. */
  const tooLongMs = (): number | undefined => {
    const pauseMs = pausedUntilMs - clock.now();
    if (pauseMs > longestPauseMs) return pauseMs;
    const queueMs = (line.length * 1_000) / perSecond;
    return queueMs > longestQueueMs ? queueMs : undefined;
  };
  const serve = () => {
    timer?.[Symbol.dispose]();
    timer = undefined;
    const now = clock.now();
    bucket = refilled(bucket, now, size);
    while (bucket.tokens >= 1 && line.length > 0) {
      if (now < pausedUntilMs) break;
      bucket = { ...bucket, tokens: bucket.tokens - 1 };
      line.leaveFirst()?.grant(permit());
    }
    if (line.length > 0) timer = clock.schedule(Math.max(pausedUntilMs - now, untilNextTokenMs(bucket, size), 1), serve);
  };

  return {
    acquire(operation, priority, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      const waitMs = tooLongMs();
      if (waitMs !== undefined) return Promise.reject(noTurn(operation, waitMs));
      const { waiter, turn } = newWaiter(operation, signal, () => line.leave(waiter, priority));
      line.join(waiter, priority);
      serve();
      return turn;
    },
    pauseUntil(atMs) {
      pausedUntilMs = Math.max(pausedUntilMs, atMs);
      const pauseMs = pausedUntilMs - clock.now();
      // Those who wait already would wait as long.
      if (pauseMs > longestPauseMs) while (line.length > 0) line.leaveFirst()?.refuse(pauseMs);
    },
    get pausedUntil() {
      return pausedUntilMs > clock.now() ? pausedUntilMs : undefined;
    },
  };
}

/** Those who wait, and whose turn it is. */
function waitingLine() {
  // Sets keep their order, and one in the middle can leave.
  const waiting: Readonly<Record<CallPriority, Set<Waiter>>> = { edit: new Set(), resync: new Set(), read: new Set() };
  let sinceRead = 0;
  return {
    get length() {
      return waiting.edit.size + waiting.resync.size + waiting.read.size;
    },
    join(waiter: Waiter, priority: CallPriority) {
      // What others were given before a read began to wait is no debt to it.
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

/** @param leave called when the signal aborts before its turn */
function newWaiter(operation: CloudOperation, signal: AbortSignal | undefined, leave: () => void) {
  const { promise: turn, resolve, reject } = Promise.withResolvers<Permit>();
  const onAbort = () => {
    leave();
    reject(signal?.reason);
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  const stopListening = () => signal?.removeEventListener('abort', onAbort);
  const waiter: Waiter = {
    grant(granted) {
      stopListening();
      resolve(granted);
    },
    refuse(pauseMs) {
      stopListening();
      reject(noTurn(operation, pauseMs));
    },
  };
  return { waiter, turn };
}

function noTurn(operation: CloudOperation, waitMs: number): CloudError {
  const retryAfterMs = Math.min(Math.ceil(waitMs), longestRetryMs);
  return new CloudError({ operation, kind: 'rateLimited', sent: false, fromApi: false, retryAfterMs });
}
