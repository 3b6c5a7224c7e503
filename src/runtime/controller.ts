import { AsyncLocalStorage } from 'node:async_hooks';
import { unlessAborted } from './unless-aborted.ts';
import { backOffMs, type Clock, pause } from './clock.ts';
import { askedToWaitMs } from './kubernetes-error.ts';
import type { ResourceKey } from './kubernetes-object.ts';
import { type Priority, type QueueObserver, workQueue, type WorkQueue } from './work-queue.ts';

/**
 * The next visit to a key.
 * - `forget`: none until an event enqueues the key.
 * - `afterMs`: a visit after a delay in milliseconds of policy time. `resync`: no user waits for
 *   that visit.
 */
export type Requeue = 'forget' | { readonly afterMs: number; readonly resync?: boolean };

/** A reconciler, and how its controller hands it keys. */
export interface ControllerOptions {
  readonly name: string;
  /**
   * Concurrent edits in each group. Resyncs have workers of their own. A visit keeps its worker to
   * its end, also while it waits.
   */
  readonly workers: number;
  /** Keys of a group share workers, so a dependency that hangs holds up only its own group. Default: a single group. */
  readonly groupOf?: (key: ResourceKey) => string;
  /** Whether a key may enter the queue. Default: all may. */
  readonly concerns?: (key: ResourceKey) => boolean;
  /** Policy time. */
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Visits an object. An error means a bug or a failing API server: this key alone backs off. */
  readonly reconcile: (key: ResourceKey, signal: AbortSignal) => Promise<Requeue>;
  /**
   * Called after a failed visit, unless the controller stops. The controller visits the key again
   * after `retryInMs`.
   */
  readonly onError: (key: ResourceKey, error: unknown, retryInMs: number) => void;
  /** Called after each visit, with its real time. */
  readonly onDone?: (key: ResourceKey, durationMs: number, failed: boolean) => void;
  readonly observer?: QueueObserver;
}

/** Hands keys of a work queue to the reconciler. */
export interface Controller {
  /**
   * Plans a visit, unless the key does not concern the controller. Default: at once, as an edit.
   * `afterMs` is policy time.
   */
  enqueue(
    key: ResourceKey,
    options?: { readonly priority?: Priority; readonly afterMs?: number },
  ): void;
  start(): void;
  /**
   * Takes no more keys, and waits for the visits in flight. It leaves visits that ignore their
   * abort signal.
   * @param graceMs real time for the visits in flight
   * @param visits `finish` aborts visits after `graceMs`; `abort` aborts them at once, and waits
   *   for them
   * @returns whether all visits have ended
   */
  stop(graceMs: number, visits?: 'finish' | 'abort'): Promise<boolean>;
  /** See {@link WorkQueue.quiet}. */
  readonly idle: boolean;
  /** The number of keys that could be visited, and wait for a worker. */
  readonly queued: number;
  /** The real time of each visit in flight, in milliseconds. */
  readonly workingMs: readonly number[];
  readonly name: string;
}

const afterAbortMs = 1_000;
const backOff = { firstMs: 1_000, longestMs: 300_000 };

/** Few resyncs run at a time, because each competes with edits for the event loop. */
const resyncShare = 1 / 8;

/** Makes a controller. It takes keys at once, and visits them after `start`. */
export function controller(options: ControllerOptions): Controller {
  const { clock, workers, groupOf, observer } = options;
  const slots = { edit: workers, resync: Math.max(1, Math.floor(workers * resyncShare)) };
  const queue = workQueue({ clock, slots, groupOf, observer });
  const inFlight = new Set<Promise<void>>();
  const abort = new AbortController();
  const state = { running: false };

  const visit = visitor(options, queue, abort.signal);
  const fill = () => {
    while (state.running) {
      const next = queue.take();
      if (!next) return;
      const work = visit(next.key, next.priority).finally(() => {
        inFlight.delete(work);
        queue.done(next.key);
      });
      inFlight.add(work);
    }
  };
  queue.onReady(fill);

  return {
    enqueue(key, { priority = 'edit', afterMs = 0 } = {}) {
      if (options.concerns?.(key) === false) return;
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

/** Never rejects. */
function visitor(options: ControllerOptions, queue: WorkQueue, signal: AbortSignal) {
  const retries = countedRetries(options.random);
  return async (key: ResourceKey, priority: Priority): Promise<void> => {
    const begunAt = performance.now();
    let failed = false;
    try {
      const requeue = await options.reconcile(key, signal);
      retries.forget(key);
      if (requeue === 'forget') {
        queue.forget(key);
        return;
      }
      const { afterMs, resync = false } = requeue;
      queue.addAfter(key, afterMs, { priority: resync ? 'resync' : priority, resync });
    } catch (error) {
      failed = true;
      if (signal.aborted) return;
      const delayMs = retries.delayMs(key, error);
      options.onError(key, error, delayMs);
      queue.addAfter(key, delayMs, { priority, resync: false });
    } finally {
      options.onDone?.(key, performance.now() - begunAt, failed);
    }
  };
}

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

/** The end of a process does not follow the policy clock. */
async function ended(
  visits: Iterable<Promise<void>>,
  abort: AbortController,
  graceMs: number,
  how: 'finish' | 'abort',
): Promise<void> {
  const over = new AbortController();
  const all = Promise.all(visits).finally(() => over.abort());
  const why = new Error('the operator is stopping');
  if (how === 'abort') abort.abort(why);
  await Promise.race([all, pause(graceMs, over.signal)]);
  abort.abort(why);
  await Promise.race([all, pause(afterAbortMs, over.signal)]);
}

/** The visit in which code runs. `name` is a reference such as `ManagedService/shop/orders`. */
interface CurrentVisit {
  readonly name: string;
  /** Aborts when the controller ends its visits. */
  readonly signal: AbortSignal;
}

const visits = new AsyncLocalStorage<CurrentVisit>();

/** Runs a visit, so that code below it knows its name and its end. */
export function visiting<T>(visit: CurrentVisit, run: () => T): T {
  return visits.run(visit, run);
}

/**
 * The name of the current visit, such as `ManagedService/shop/orders`; undefined outside of a visit. Timers of a visit
 * inherit its name: code that shares work among visits must not call this.
 */
export function currentVisit(): string | undefined {
  return visits.getStore()?.name;
}

/**
 * The result of a wait, which the stop of the controller ends. For a wait that many visits share, and that takes no
 * signal of a single visit. Outside of a visit it is just the promise.
 * @throws the rejection of the promise, or the reason of the stop
 */
export function untilStopped<T>(wait: Promise<T>): Promise<T> {
  const visit = visits.getStore();
  return visit ? unlessAborted(wait, visit.signal) : wait;
}
