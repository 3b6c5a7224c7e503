import type { CloudOperation } from './cloud-api.ts';
import { CloudError } from './cloud-error.ts';
import { Finder, type Offer, type Snapshot, SnapshotKeeper } from './snapshot.ts';
import { ListDemand } from './list-demand.ts';
import type { FedListPoller, FindOptions, Found, ListPollerOptions } from './list-poller.ts';

/** The minimum between two requests to a cloud that fails, however many callers wait. */
const restMs = 1_000;
/** A poller without listeners keeps its evidence for this time after its last use: a deletion needs it at the next visit. */
const keptMs = 600_000;

/** See {@link FedListPoller}. Decides when to poll and which lists to believe, and calls the listeners. */
export class Poller<T> implements FedListPoller<T> {
  readonly #options: ListPollerOptions<T>;
  readonly #keeper: SnapshotKeeper<T>;
  readonly #finder: Finder<T>;
  readonly #demand: ListDemand<Snapshot<T>>;
  readonly #listeners = new Set<(ids: ReadonlySet<string>) => void>();
  readonly #inProgress = new Map<string, number>();
  readonly #stopped = new AbortController();
  #timer: { readonly at: number; readonly handle: Disposable } | undefined;
  /** Policy time of the last list, or of the start. */
  #lastAt: number;
  #idleAt: number;
  readonly #bornAt: number;
  #usedAt: number;
  #retryAt: number | undefined;
  #failure: CloudError | undefined;
  #failures = 0;

  constructor(options: ListPollerOptions<T>) {
    this.#options = options;
    this.#keeper = new SnapshotKeeper({ ...options, hasGet: options.get !== undefined });
    this.#finder = new Finder({
      ...options,
      keeper: this.#keeper,
      since: (notBefore) => this.since(notBefore),
      put: (id, item) => this.#notify(this.#keeper.put(id, item, true)),
    });
    this.#bornAt = options.clock.now();
    this.#lastAt = this.#bornAt;
    this.#usedAt = this.#bornAt;
    this.#idleAt = this.#lastAt + idleDelayMs(options.random());
    this.#demand = new ListDemand({
      clock: options.clock,
      shareMs: options.shareMs ?? 100,
      repeatAt: (begunAt) => (this.#failure?.kind === 'unreadable' ? this.#retryAt : undefined) ?? begunAt + restMs,
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

  get operation(): CloudOperation {
    return this.#options.operation;
  }

  get asOf(): number | undefined {
    return this.#listeners.size === 0 ? undefined : (this.#keeper.latest?.begunAt ?? this.#bornAt);
  }

  get inUse(): boolean {
    const isKept = this.#options.clock.now() - this.#usedAt < keptMs;
    return isKept || this.#listeners.size > 0 || this.#inProgress.size > 0 || this.#demand.isBusy;
  }

  since(notBefore: number): Promise<Snapshot<T>> {
    this.#usedAt = this.#options.clock.now();
    if (this.#stopped.signal.aborted) return Promise.reject(this.#aborted());
    const { latest } = this.#keeper;
    if (latest && latest.begunAt >= notBefore) return Promise.resolve(latest);
    // The next request may take as long as the failed request, and each waiting visit occupies a worker.
    if (this.#failure && this.#demand.isBusy) return Promise.reject(this.#failure);
    const wait = this.#demand.want(notBefore);
    return this.#options.untilStopped?.(wait) ?? wait;
  }

  find(id: string, options: FindOptions): Promise<Found<T>> {
    this.#usedAt = this.#options.clock.now();
    return this.#finder.find(id, options);
  }

  unexplained(snapshot: Snapshot<T>, matters?: (id: string) => boolean): Promise<readonly string[]> {
    return this.#finder.unexplained(snapshot, matters);
  }

  isLeaving(item: T): boolean {
    return this.#options.isLeaving?.(item) ?? false;
  }

  put(id: string, item: T): void {
    this.#notify(this.#keeper.put(id, item));
  }

  acceptRemoval(id: string): void {
    this.#notify(this.#keeper.acceptRemoval(id));
  }

  denyRemoval(id: string): void {
    this.endProgress(id);
    this.#notify(this.#keeper.denyRemoval(id));
  }

  removalAcceptedAt(id: string): number | undefined {
    return this.#keeper.absences.removalAcceptedAt(id);
  }

  isDenied(id: string): boolean {
    return this.#keeper.absences.isDenied(id);
  }

  expectProgress(id: string, startedAt: number): void {
    this.#inProgress.set(id, Math.min(startedAt, this.#options.clock.now()));
    this.#plan();
  }

  endProgress(id: string): void {
    if (this.#inProgress.delete(id)) this.#plan();
  }

  onChange(listener: (ids: ReadonlySet<string>) => void): Disposable {
    // Wrapped, so that a function may listen twice.
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
    const offer = this.#take(items, begunAt);
    if (!offer.latest) this.#failed(incomplete(this.operation, offer));
    this.#plan();
  }

  stop(): void {
    this.#stopped.abort();
    this.#plan();
    this.#demand.stop(this.#aborted());
  }

  /** Sends a LIST. @throws {CloudError} also when the list is not believed */
  async #run(begunAt: number): Promise<Snapshot<T>> {
    try {
      const items = await this.#options.list(this.#stopped.signal);
      const offer = this.#take(items, begunAt, await this.#keeper.unchanged(items));
      if (offer.latest) return offer.latest;
      await this.#finder.sample(offer.open);
      throw incomplete(this.operation, offer);
    } catch (error) {
      this.#failed(error);
      throw error;
    }
  }

  #take(items: readonly T[], begunAt: number, unchanged?: ReadonlyMap<T, T>): Offer<T> {
    const offer = this.#keeper.offer(items, begunAt, unchanged);
    const { latest, changed } = offer;
    this.#lastAt = Math.max(this.#lastAt, begunAt);
    this.#idleAt = this.#lastAt + idleDelayMs(this.#options.random());
    if (!latest) return offer;
    // Visits that failed with unreadable lists wait longer and longer. They must learn of the end even if no resource changed.
    const concernsAll = this.#failure?.kind === 'unreadable' && this.#failures > 1;
    this.#failures = 0;
    this.#retryAt = undefined;
    this.#failure = undefined;
    // A resource that vanished has no work in progress.
    for (const id of changed) if (!latest.items.has(id)) this.#inProgress.delete(id);
    this.#notify(concernsAll ? changed.union(latest.items) : changed);
    return offer;
  }

  #failed(error: unknown): void {
    const { clock, random } = this.#options;
    this.#failures += 1;
    const failure = error instanceof CloudError ? error : undefined;
    const longestMs = failure?.kind === 'unreadable' ? longestUnreadableMs : longestBackOffMs;
    this.#retryAt = clock.now() + Math.max(failure?.retryAfterMs ?? 0, failureDelayMs(this.#failures, random(), longestMs));
    const isGone = failure?.kind === 'notFound' && this.#failure?.kind !== 'notFound';
    this.#failure = failure ?? this.#failure;
    // The parent of the list may be gone, which concerns every resource that was in it.
    if (isGone) this.#notify(new Set(this.#keeper.latest?.items.keys()));
  }

  #notify(ids: ReadonlySet<string>): void {
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
      await this.#demand.want(this.#options.clock.now());
    } catch {
      // Callers read `failure`, and the next poll is planned.
    }
  }

  #aborted(): CloudError {
    return new CloudError({ operation: this.#options.operation, kind: 'aborted', sent: false, fromApi: false });
  }
}

const firstMs = 1_000;
const growth = 0.5;
const longestMs = 15_000;
const idleMs = 60_000;
const idleJitter = 0.1;
const longestBackOffMs = 60_000;
/** The next list often has an id that the last list lacked. */
const longestUnreadableMs = 5_000;

/** By the age of the operation: 1 s, growing by half each time, to 15 s. */
export function progressDelayMs(ageMs: number): number {
  // After delays of 1, 1.5, 2.25 … the age is 2 (1.5^n - 1). So each delay is 1 s plus half the age.
  return Math.min(longestMs, firstMs + Math.max(0, ageMs) * growth);
}

/** A minute plus up to a tenth, so that many lists are not polled in step. */
export function idleDelayMs(random: number): number {
  return idleMs * (1 + idleJitter * random);
}

/** 1 s, doubling to the longest delay. Half of it is random. */
function failureDelayMs(failures: number, random: number, longestDelayMs: number): number {
  const upTo = Math.min(longestDelayMs, firstMs * 2 ** Math.max(0, failures - 1));
  return upTo * (0.5 + random * 0.5);
}

/**
 * The time of the next poll while the cloud works, from the begins of the last poll and the operations. The earliest
 * time counts: the youngest polled operation decides, and new operations do not postpone the poll.
 */
export function nextProgressPollMs(lastBegunAt: number, startedAts: Iterable<number>): number | undefined {
  let earliest: number | undefined;
  for (const startedAt of startedAts) {
    const at = Math.max(lastBegunAt, startedAt) + progressDelayMs(lastBegunAt - startedAt);
    earliest = Math.min(earliest ?? at, at);
  }
  return earliest;
}

function incomplete(operation: CloudOperation, { open, known }: Offer<unknown>): CloudError {
  const field = `${open.size} of ${known} known ids are missing from the list at once`;
  return new CloudError({ operation, kind: 'unreadable', sent: true, fromApi: false, field });
}
