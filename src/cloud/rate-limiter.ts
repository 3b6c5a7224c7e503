import type { CallPriority, Permit } from './cloud-api.ts';
import type { Clock } from './clock.ts';
import { nextTurn, refilled, untilNextTokenMs, type Bucket, type BucketSize } from './token-bucket.ts';

/** The rate limit of one API key. */
export interface RateLimiter {
  /** Waits for its turn. Rejects with the signal's reason. */
  acquire(priority: CallPriority, signal?: AbortSignal): Promise<Permit>;
  /** Nobody gets a turn before this policy time; of several, the latest counts. Permits given out before stay good. */
  pauseUntil(atMs: number): void;
  /** Policy time until which nobody gets a turn; undefined when it has passed. */
  readonly pausedUntil: number | undefined;
}

export interface RateLimiterOptions extends Partial<BucketSize> {
  readonly clock: Clock;
}

type Grant = (permit: Permit) => void;

/** One token bucket, full at first: 10 calls a second, 20 at once, unless told otherwise. */
export function rateLimiter({ clock, perSecond = 10, burst = 20 }: RateLimiterOptions): RateLimiter {
  const size: BucketSize = { perSecond, burst };
  // Sets keep their order, and one in the middle can leave.
  const waiting: Readonly<Record<CallPriority, Set<Grant>>> = { edit: new Set(), resync: new Set(), read: new Set() };
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
    const [grant] = turn ? waiting[turn] : [];
    if (!turn || !grant) return false;
    waiting[turn].delete(grant);
    bucket = { ...bucket, tokens: bucket.tokens - 1 };
    sinceRead = turn === 'read' ? 0 : sinceRead + 1;
    grant(permit());
    return true;
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
    acquire(priority, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<Permit>();
      if (signal?.aborted) {
        reject(signal.reason);
        return promise;
      }
      const onAbort = () => {
        waiting[priority].delete(grant);
        reject(signal?.reason);
      };
      const grant: Grant = (granted) => {
        signal?.removeEventListener('abort', onAbort);
        resolve(granted);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      // What others were given before a read began to wait is no debt to it.
      if (priority === 'read' && waiting.read.size === 0) sinceRead = 0;
      waiting[priority].add(grant);
      serve();
      return promise;
    },
    pauseUntil(atMs) {
      pausedUntilMs = Math.max(pausedUntilMs, atMs);
    },
    get pausedUntil() {
      return pausedUntilMs > clock.now() ? pausedUntilMs : undefined;
    },
  };
}
