import type { Clock } from './clock.ts';
import type { CallPriority, CloudOperation } from './cloud-api.ts';
import { CloudError } from './cloud-error.ts';

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

interface RateLimiterOptions {
  readonly clock: Clock;
  readonly perSecond?: number;
  readonly burst?: number;
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
/** At least 1 token in this many goes to a read, however many changes wait. */
const readEvery = 5;

interface Waiter {
  grant(): void;
  refuse(waitMs: number): void;
}

/** Full at first. Default: 10 calls a second, 20 at once. */
export function rateLimiter({
  clock,
  perSecond = 10,
  burst = 20,
  onWaited,
}: RateLimiterOptions): RateLimiter {
  // Sets keep their order, and a waiter in the middle can leave.
  const waiting: Readonly<Record<CallPriority, Set<Waiter>>> = {
    edit: new Set(),
    resync: new Set(),
    read: new Set(),
  };
  let tokens = burst;
  let filledAtMs = clock.now();
  const pause = pauseOf(clock);
  /** Tokens for changes since a read got a token or began to wait. */
  let sinceRead = 0;
  let timer: Disposable | undefined;

  const nextPriority = (): CallPriority | undefined => {
    if (waiting.read.size > 0 && sinceRead >= readEvery - 1) return 'read';
    return (['edit', 'resync', 'read'] as const).find((priority) => waiting[priority].size > 0);
  };
  const takeNext = (): Waiter | undefined => {
    const priority = nextPriority();
    const [waiter] = priority ? waiting[priority] : [];
    if (!priority || !waiter) return undefined;
    waiting[priority].delete(waiter);
    sinceRead = priority === 'read' ? 0 : sinceRead + 1;
    return waiter;
  };
  const serve = () => {
    timer?.[Symbol.dispose]();
    timer = undefined;
    const nowMs = clock.now();
    // A clock that went back adds no tokens.
    tokens = Math.min(burst, tokens + (Math.max(0, nowMs - filledAtMs) * perSecond) / 1_000);
    filledAtMs = nowMs;
    if (nowMs >= pause.untilMs()) {
      for (; tokens >= 1 && nextPriority(); tokens -= 1) takeNext()?.grant();
    }
    const nextTokenMs = Math.ceil(((1 - tokens) * 1_000) / perSecond);
    if (nextPriority())
      timer = clock.schedule(Math.max(pause.untilMs() - nowMs, nextTokenMs, 1), serve);
  };
  /** The wait of a new caller in milliseconds if it is too long, otherwise undefined. */
  const tooLongMs = (priority: CallPriority): number | undefined => {
    const pauseMs = pause.untilMs() - clock.now();
    if (pauseMs > longestPauseMs) return pauseMs;
    // Without the share of reads.
    const before =
      waiting.edit.size +
      (priority === 'edit' ? 0 : waiting.resync.size) +
      (priority === 'read' ? waiting.read.size : 0);
    const queueMs = (before * 1_000) / perSecond;
    return queueMs > longestQueueMs[priority] ? queueMs : undefined;
  };

  return {
    acquire(operation, priority, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      const waitMs = tooLongMs(priority);
      if (waitMs !== undefined)
        return Promise.reject(noTurn(operation, waitMs, pause.longUntilMs()));
      const begunAt = performance.now();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const waiter: Waiter = {
        grant: resolve,
        refuse: (pauseMs) => reject(noTurn(operation, pauseMs, pause.longUntilMs())),
      };
      const onAbort = () => {
        waiting[priority].delete(waiter);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      // Turns that changes got before this read began to wait do not count in its favour.
      if (priority === 'read' && waiting.read.size === 0) sinceRead = 0;
      waiting[priority].add(waiter);
      serve();
      return promise.finally(() => {
        signal?.removeEventListener('abort', onAbort);
        onWaited?.(priority, performance.now() - begunAt);
      });
    },
    pauseUntil(atMs) {
      const pauseMs = pause.extend(atMs);
      // Waiting callers would wait as long as new callers.
      if (pauseMs > longestPauseMs) while (nextPriority()) takeNext()?.refuse(pauseMs);
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
    /** @returns the milliseconds that it lasts from now on */
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
