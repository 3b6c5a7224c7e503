import type { CloudOperation } from './cloud-api.ts';
import { CloudError } from './cloud-error.ts';
import type { Clock } from './clock.ts';
import { ListDemand } from './list-demand.ts';
import { confirmEveryMs } from './plausible-list.ts';
import { failureDelayMs, idleDelayMs, nextProgressPollMs } from './poll-delay.ts';
import { SnapshotKeeper, type Snapshot } from './snapshot.ts';

export type { Snapshot } from './snapshot.ts';

/** Bulk observation of one LIST: one request serves everybody who wants to know. */
export interface ListPoller<T> {
  /** The last list that was believed, with what is known since. */
  readonly latest: Snapshot<T> | undefined;
  /**
   * A snapshot whose LIST was begun at or after `notBefore` (policy time). Calls within 100 ms share one request; a running LIST is shared only if it
   * began late enough. A list that lacks too much to be believed is asked for again, once a second, a few times.
   * @throws {CloudError} also kind `unreadable` when no list could be believed
   */
  since(notBefore: number, signal?: AbortSignal): Promise<Snapshot<T>>;
  /**
   * A mutation's or a GET's answer goes into the latest snapshot, in place; a LIST begun before this moment does not undo it. Nor does a LIST that
   * lacks it within ten seconds, if no LIST ever had it: lists lag. Tells the listeners.
   */
  put(id: string, item: T): void;
  /** The resource is known to be gone. As `put`. */
  remove(id: string): void;
  /**
   * Work has been in progress on this id since `startedAt` (policy time): the list is polled after 1 s, growing by half to 15 s, by the youngest
   * operation. `settled` ends that. Otherwise every 60 s with jitter while somebody listens.
   */
  expectProgress(id: string, startedAt: number): void;
  settled(id: string): void;
  /** Ids that appeared, changed (deep, without `metrics` and `initial_password`) or vanished; all, with the first list and when the list is not found. */
  onChange(listener: (ids: ReadonlySet<string>) => void): Disposable;
  /** After a failed or unbelievable poll: the error, until a poll succeeds. */
  readonly failure: CloudError | undefined;
  /** Ends polling; whoever waits is told `aborted`. */
  stop(): void;
}

export interface ListPollerOptions<T> {
  /** For errors. */
  readonly operation: CloudOperation;
  readonly list: (signal: AbortSignal) => Promise<readonly T[]>;
  /** Items without an id are left out. */
  readonly idOf: (item: T) => string | undefined;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Ids that should be in the list as far as others know, beside those of the list before; see plausible-list.ts. */
  readonly knownIds?: () => Iterable<string>;
  /** Whether it is no surprise when this item is missing from the next list. */
  readonly isLeaving?: (item: T) => boolean;
  /** How long a wish for a LIST waits for others to share it. */
  readonly shareMs?: number;
}

/** A poller that can also be told a list that was read elsewhere. */
export interface FedListPoller<T> extends ListPoller<T> {
  /** A whole list that was read with another, begun at this policy time; counts as a poll. */
  feed(items: readonly T[], begunAt: number): void;
  /** Whether somebody listens, waits or expects progress. */
  readonly inUse: boolean;
}

const maxDoubtfulLists = 5;

export function listPoller<T>(options: ListPollerOptions<T>): FedListPoller<T> {
  return new Poller(options);
}

class Poller<T> implements FedListPoller<T> {
  readonly #options: ListPollerOptions<T>;
  readonly #keeper: SnapshotKeeper<T>;
  readonly #demand: ListDemand<Snapshot<T>>;
  readonly #listeners = new Set<(ids: ReadonlySet<string>) => void>();
  readonly #inProgress = new Map<string, number>();
  readonly #stopped = new AbortController();
  #timer: { readonly at: number; readonly handle: Disposable } | undefined;
  /** Policy time of the last list, or of the beginning of all. */
  #lastAt: number;
  #idleAt: number;
  #retryAt: number | undefined;
  #failure: CloudError | undefined;
  #failures = 0;
  #doubtfulLists = 0;

  constructor(options: ListPollerOptions<T>) {
    this.#options = options;
    this.#keeper = new SnapshotKeeper(options);
    this.#lastAt = options.clock.now();
    this.#idleAt = this.#lastAt + idleDelayMs(options.random());
    this.#demand = new ListDemand({
      clock: options.clock,
      shareMs: options.shareMs ?? 100,
      repeatMs: confirmEveryMs,
      run: (begunAt) => this.#run(begunAt),
      onFinished: () => this.#plan(),
    });
  }

  get latest(): Snapshot<T> | undefined {
    return this.#keeper.latest;
  }

  get failure(): CloudError | undefined {
    return this.#failure;
  }

  get inUse(): boolean {
    return this.#listeners.size > 0 || this.#inProgress.size > 0 || this.#demand.isBusy;
  }

  since(notBefore: number, signal?: AbortSignal): Promise<Snapshot<T>> {
    if (signal?.aborted || this.#stopped.signal.aborted) return Promise.reject(this.#aborted());
    const { latest } = this.#keeper;
    if (latest && latest.begunAt >= notBefore) return Promise.resolve(latest);
    return this.#demand.want(notBefore, signal, () => this.#aborted());
  }

  put(id: string, item: T): void {
    this.#tell(this.#keeper.put(id, item));
  }

  remove(id: string): void {
    this.settled(id);
    this.#tell(this.#keeper.remove(id));
  }

  expectProgress(id: string, startedAt: number): void {
    this.#inProgress.set(id, Math.min(startedAt, this.#options.clock.now()));
    this.#plan();
  }

  settled(id: string): void {
    if (this.#inProgress.delete(id)) this.#plan();
  }

  onChange(listener: (ids: ReadonlySet<string>) => void): Disposable {
    // Wrapped, so that one function may listen twice.
    const own = (ids: ReadonlySet<string>) => listener(ids);
    this.#listeners.add(own);
    this.#plan();
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(own);
        this.#plan();
      },
    };
  }

  feed(items: readonly T[], begunAt: number): void {
    this.#take(items, begunAt);
    this.#plan();
  }

  stop(): void {
    this.#stopped.abort();
    this.#plan();
    this.#demand.stop(this.#aborted());
  }

  /** One LIST. Undefined when it is not believed and should be repeated. */
  async #run(begunAt: number): Promise<Snapshot<T> | undefined> {
    try {
      const doubt = this.#take(await this.#options.list(this.#stopped.signal), begunAt);
      if (doubt) this.#doubtfulLists += 1;
      if (doubt && this.#doubtfulLists >= maxDoubtfulLists) throw doubt;
      return doubt ? undefined : this.#keeper.latest;
    } catch (error) {
      this.#failed(error);
      throw error;
    }
  }

  /** Takes a list, or says why it is not believed. */
  #take(items: readonly T[], begunAt: number): CloudError | undefined {
    const { changed, doubtful, known } = this.#keeper.offer(items, begunAt);
    this.#lastAt = Math.max(this.#lastAt, begunAt);
    this.#idleAt = this.#lastAt + idleDelayMs(this.#options.random());
    if (!changed) {
      this.#retryAt = this.#lastAt + confirmEveryMs;
      const field = `${doubtful} of ${known} known ids are missing from the list at once`;
      this.#failure = new CloudError({ operation: this.#options.operation, kind: 'unreadable', sent: true, fromApi: false, field });
      return this.#failure;
    }
    this.#doubtfulLists = 0;
    this.#failures = 0;
    this.#retryAt = undefined;
    this.#failure = undefined;
    this.#tell(changed);
    return undefined;
  }

  #failed(error: unknown): void {
    const { clock, random } = this.#options;
    this.#failures += 1;
    this.#doubtfulLists = 0;
    const asked = error instanceof CloudError ? error.retryAfterMs : undefined;
    this.#retryAt = clock.now() + Math.max(asked ?? 0, failureDelayMs(this.#failures, random()));
    if (!(error instanceof CloudError)) return;
    const isGone = error.kind === 'notFound' && this.#failure?.kind !== 'notFound';
    this.#failure = error;
    // What the list hangs on may be gone: that concerns all that was in it.
    if (isGone) this.#tell(new Set(this.#keeper.latest?.items.keys()));
  }

  #tell(ids: ReadonlySet<string>): void {
    if (ids.size > 0) for (const listener of this.#listeners) listener(ids);
  }

  #plan(): void {
    const at = this.#nextPollAt();
    if (at === this.#timer?.at) return;
    this.#timer?.handle[Symbol.dispose]();
    this.#timer = undefined;
    if (at === undefined) return;
    const { clock } = this.#options;
    this.#timer = { at, handle: clock.schedule(Math.max(0, at - clock.now()), () => void this.#poll()) };
  }

  #nextPollAt(): number | undefined {
    const isFollowed = this.#listeners.size > 0;
    if (this.#stopped.signal.aborted || this.#demand.isRunning || (!isFollowed && this.#inProgress.size === 0)) return undefined;
    if (this.#retryAt !== undefined) return this.#retryAt;
    const progressAt = nextProgressPollMs(this.#lastAt, this.#inProgress.values());
    if (progressAt === undefined) return this.#idleAt;
    return isFollowed ? Math.min(progressAt, this.#idleAt) : progressAt;
  }

  async #poll(): Promise<void> {
    this.#timer = undefined;
    try {
      await this.#demand.want(this.#options.clock.now(), this.#stopped.signal, () => this.#aborted());
    } catch {
      // Whoever wants to know reads `failure`; the next poll is planned.
    }
  }

  #aborted(): CloudError {
    return new CloudError({ operation: this.#options.operation, kind: 'aborted', sent: false, fromApi: false });
  }
}
