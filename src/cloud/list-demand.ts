import type { Clock } from './clock.ts';

export interface ListDemandOptions<S> {
  readonly clock: Clock;
  /** Time for other callers to share the request. */
  readonly shareMs: number;
  /** The earliest time of the next request after a failed request. */
  readonly repeatAt: (begunAt: number) => number;
  readonly run: (begunAt: number) => Promise<S>;
  readonly onFinished: () => void;
}

interface Waiter<S> {
  readonly notBefore: number;
  /** Begin of the request if no other caller asks earlier. */
  readonly startAt: number;
  resolve(result: S): void;
  reject(error: unknown): void;
}

/** The callers that want a list, and the request that serves them all. */
export class ListDemand<S> {
  readonly #options: ListDemandOptions<S>;
  readonly #waiters = new Set<Waiter<S>>();
  #timer: { readonly at: number; readonly handle: Disposable } | undefined;
  #runningSince: number | undefined;
  #earliestStart = 0;

  constructor(options: ListDemandOptions<S>) {
    this.#options = options;
  }

  get isBusy(): boolean {
    return this.#runningSince !== undefined || this.#waiters.size > 0;
  }

  get isRunning(): boolean {
    return this.#runningSince !== undefined;
  }

  /** The result of a request that began at or after `notBefore`. A running request is shared if it began late enough. */
  want(notBefore: number): Promise<S> {
    const { promise, resolve, reject } = Promise.withResolvers<S>();
    const startAt = Math.max(this.#options.clock.now() + this.#options.shareMs, notBefore);
    this.#waiters.add({ notBefore, startAt, resolve, reject });
    // After a restart thousands wait, and few change the plan.
    if (!this.#timer || Math.max(startAt, this.#earliestStart) < this.#timer.at) this.#plan();
    return promise;
  }

  stop(error: Error): void {
    for (const waiter of this.#waiters) waiter.reject(error);
    this.#waiters.clear();
    this.#plan();
  }

  #plan(): void {
    if (this.#runningSince !== undefined) return;
    this.#timer?.handle[Symbol.dispose]();
    this.#timer = undefined;
    if (this.#waiters.size === 0) return;
    const at = Math.max(this.#earliestStart, Math.min(...[...this.#waiters].map((waiter) => waiter.startAt)));
    const { clock } = this.#options;
    this.#timer = { at, handle: clock.schedule(Math.max(0, at - clock.now()), () => void this.#begin()) };
  }

  async #begin(): Promise<void> {
    const begunAt = this.#options.clock.now();
    this.#runningSince = begunAt;
    try {
      const result = await this.#options.run(begunAt);
      this.#earliestStart = 0;
      const served = [...this.#waiters].filter(({ notBefore }) => notBefore <= begunAt);
      for (const waiter of served) this.#finish(waiter, (one) => one.resolve(result));
    } catch (error) {
      this.#earliestStart = this.#options.repeatAt(begunAt);
      // No caller waits for a second failure: the next request may take as long as this request.
      for (const waiter of this.#waiters) this.#finish(waiter, (one) => one.reject(error));
    } finally {
      this.#runningSince = undefined;
      this.#plan();
      this.#options.onFinished();
    }
  }

  #finish(waiter: Waiter<S>, how: (waiter: Waiter<S>) => void): void {
    this.#waiters.delete(waiter);
    how(waiter);
  }
}
