import { backOffMs } from './back-off.ts';
import { systemClock, type Clock } from './clock.ts';
import { askedToWaitMs } from './kubernetes-error.ts';
import type { ResourceKey } from './kubernetes-object.ts';
import { holding } from './parked.ts';
import { workQueue, type Priority, type QueueObserver, type WorkQueue } from './work-queue.ts';
import { workerPool } from './worker-pool.ts';

/** When a key is looked at again: not until something wakes it, or after a while. `resync`: a visit that nobody waits for. */
export type Requeue = 'forget' | { readonly afterMs: number; readonly resync?: boolean };

export interface ControllerOptions {
  readonly name: string;
  /** Visits at the same time, in each group; those that wait (`parked`) do not count. */
  readonly workers: number;
  /** Keys that may hold each other up, by what they wait for. Default: all are one group. */
  readonly groupOf?: (key: ResourceKey) => string;
  readonly clock: Clock;
  readonly random: () => number;
  /** One visit to one object. A throw is a bug or a broken API server: the key backs off, the others go on. */
  readonly reconcile: (key: ResourceKey, signal: AbortSignal) => Promise<Requeue>;
  readonly onError: (key: ResourceKey, error: unknown, retryInMs: number) => void;
  readonly onDone?: (key: ResourceKey, durationMs: number, failed: boolean) => void;
  readonly observer?: QueueObserver;
}

/** Brings keys to their reconciler, a few of each group at a time, each at most once at a time. */
export interface Controller {
  enqueue(key: ResourceKey, options?: { readonly priority?: Priority; readonly afterMs?: number }): void;
  start(): void;
  /**
   * Takes no more keys, waits for those in flight for `graceMs` of real time, and leaves those that do not hear of their end.
   * @param visits `finish`: they are aborted after that time; `abort`: at once, and waited for all the same
   * @returns whether all have ended
   */
  stop(graceMs: number, visits?: 'finish' | 'abort'): Promise<boolean>;
  /** Nothing to do, nothing being done, nothing planned but resyncs. */
  readonly idle: boolean;
  readonly queued: number;
  /** For each visit that has begun and not ended, since when; milliseconds of real time. */
  readonly workingMs: readonly number[];
  readonly name: string;
}

/** How long an aborted visit may take to come to its end. */
const afterAbortMs = 1_000;
const backOff = { firstMs: 1_000, longestMs: 300_000 };

export function controller(options: ControllerOptions): Controller {
  const { clock } = options;
  const queue = workQueue(clock, options.groupOf, options.observer);
  const inFlight = new Set<Promise<void>>();
  const abort = new AbortController();
  const state = { running: false };
  const workers = workerPool(options.workers, abort.signal, () => fill());

  const visit = visitor(options, queue, abort.signal);
  const fill = () => {
    while (state.running) {
      const next = queue.take((group) => workers.hasRoom(group));
      if (!next) return;
      const hold = workers.begin(next.group);
      const work = holding(hold, () => visit(next.key, next.priority)).finally(() => {
        inFlight.delete(work);
        hold.end();
      });
      inFlight.add(work);
    }
  };
  queue.onReady(fill);

  return {
    enqueue(key, { priority = 'edit', afterMs = 0 } = {}) {
      queue.addAfter(key, afterMs, { priority, resync: false });
    },
    start() {
      state.running = true;
      fill();
    },
    async stop(graceMs, visits = 'finish') {
      state.running = false;
      queue.close();
      await ended(inFlight, abort, graceMs, visits);
      return inFlight.size === 0;
    },
    get idle() {
      return queue.quiet;
    },
    get queued() {
      return queue.length;
    },
    get workingMs() {
      return queue.workingMs;
    },
    name: options.name,
  };
}

/** Visits a key: what comes of it decides when it comes again. Never rejects. */
function visitor(options: ControllerOptions, queue: WorkQueue, signal: AbortSignal) {
  const retries = countedRetries(options.random);
  return async (key: ResourceKey, priority: Priority): Promise<void> => {
    const begunAt = performance.now();
    let failed = false;
    try {
      const requeue = await options.reconcile(key, signal);
      retries.forget(key);
      if (requeue !== 'forget') queue.addAfter(key, requeue.afterMs, { priority, resync: requeue.resync ?? false });
    } catch (error) {
      failed = true;
      if (signal.aborted) return;
      const delayMs = retries.delayMs(key, error);
      options.onError(key, error, delayMs);
      queue.addAfter(key, delayMs, { priority, resync: false });
    } finally {
      queue.done(key);
      options.onDone?.(key, performance.now() - begunAt, failed);
    }
  };
}

/** How long each key waits after how many failures in a row. */
function countedRetries(random: () => number) {
  const failures = new Map<ResourceKey, number>();
  return {
    delayMs(key: ResourceKey, error: unknown): number {
      const count = failures.get(key) ?? 0;
      failures.set(key, count + 1);
      return Math.max(backOffMs(count, backOff, random()), askedToWaitMs(error));
    },
    forget: (key: ResourceKey) => void failures.delete(key),
  };
}

/** Waits for visits to end, as long as they may, and then a little for those that are aborted. */
async function ended(visits: Iterable<Promise<void>>, abort: AbortController, graceMs: number, how: 'finish' | 'abort'): Promise<void> {
  const over = new AbortController();
  const all = Promise.all(visits).finally(() => over.abort());
  const why = new Error('the operator is stopping');
  if (how === 'abort') abort.abort(why);
  await Promise.race([all, pause(graceMs, over.signal)]);
  abort.abort(why);
  await Promise.race([all, pause(afterAbortMs, over.signal)]);
}

/** Real time: a process that ends does not wait for policy. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return systemClock.sleep(ms, signal).catch(() => undefined);
}
