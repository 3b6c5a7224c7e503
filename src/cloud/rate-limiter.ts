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
  // Sets keep their order, and one in the middle can leave.
  const waiting: Readonly<Record<CallPriority, Set<Waiter>>> = { edit: new Set(), resync: new Set(), read: new Set() };
  let bucket: Bucket = { tokens: burst, atMs: clock.now() };
  let sinceRead = 0;
  let pausedUntilMs = 0;
  let timer: Disposable | undefined;

  const isWaiting = (priority: CallPriority) => waiting[priority].size > 0;
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
  const grantOne = (): boolean => {
    const turn = nextTurn(isWaiting, sinceRead);
    const [waiter] = turn ? waiting[turn] : [];
    if (!turn || !waiter) return false;
    waiting[turn].delete(waiter);
    bucket = { ...bucket, tokens: bucket.tokens - 1 };
    sinceRead = turn === 'read' ? 0 : sinceRead + 1;
    waiter.grant(permit());
    return true;
  };
  /** How long whoever comes now would wait; undefined when that is not too long. */
  const tooLongMs = (): number | undefined => {
    const pauseMs = pausedUntilMs - clock.now();
    if (pauseMs > longestPauseMs) return pauseMs;
    const ahead = waiting.edit.size + waiting.resync.size + waiting.read.size;
    const queueMs = (ahead * 1_000) / perSecond;
    return queueMs > longestQueueMs ? queueMs : undefined;
  };
  const refuseAll = () => {
    for (const grants of Object.values(waiting)) {
      for (const waiter of grants) waiter.refuse(pausedUntilMs - clock.now());
      grants.clear();
    }
  };
  const serve = () => {
    timer?.[Symbol.dispose]();
    timer = undefined;
    const now = clock.now();
    bucket = refilled(bucket, now, size);
    if (now >= pausedUntilMs) while (bucket.tokens >= 1 && grantOne());
    if (nextTurn(isWaiting, 0)) timer = clock.schedule(Math.max(pausedUntilMs - now, untilNextTokenMs(bucket, size), 1), serve);
  };

  return {
    acquire(operation, priority, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      const waitMs = tooLongMs();
      if (waitMs !== undefined) return Promise.reject(noTurn(operation, waitMs));
      const { promise, resolve, reject } = Promise.withResolvers<Permit>();
      const onAbort = () => {
        waiting[priority].delete(waiter);
        reject(signal?.reason);
      };
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
      signal?.addEventListener('abort', onAbort, { once: true });
      // What others were given before a read began to wait is no debt to it.
      if (priority === 'read' && waiting.read.size === 0) sinceRead = 0;
      waiting[priority].add(waiter);
      serve();
      return promise;
    },
    pauseUntil(atMs) {
      pausedUntilMs = Math.max(pausedUntilMs, atMs);
      // Those who wait already would wait as long.
      if (pausedUntilMs - clock.now() > longestPauseMs) refuseAll();
    },
    get pausedUntil() {
      return pausedUntilMs > clock.now() ? pausedUntilMs : undefined;
    },
  };
}

function noTurn(operation: CloudOperation, waitMs: number): CloudError {
  const retryAfterMs = Math.min(Math.ceil(waitMs), longestRetryMs);
  return new CloudError({ operation, kind: 'rateLimited', sent: false, fromApi: false, retryAfterMs });
}
