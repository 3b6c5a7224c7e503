import type { CloudOperation } from './cloud-api.ts';
import { CloudError } from './cloud-error.ts';
import { Finder } from './finder.ts';
import type { FindOptions, Found, ListPoller, ListPollerOptions } from './list-poller.ts';
import { type Offer, type Snapshot, SnapshotKeeper } from './snapshot.ts';

/** A caller waits for this time, so that other callers can share its request. */
const shareMs = 100;
/** The minimum between two requests to a cloud that fails, however many callers wait. */
const restMs = 1_000;
/** A poller without listeners keeps its evidence for this time after its last use: a deletion needs it at the next visit. */
const keptMs = 600_000;

/** A caller that waits for a list that begins at or after `notBefore`. */
interface Waiter<T> {
  readonly notBefore: number;
  /** Begin of the request if no other caller asks earlier, and no poll is due. */
  readonly startAt: number;
  resolve(snapshot: Snapshot<T>): void;
  reject(error: unknown): void;
}

/** The list lacks too many known ids at once. */
class IncompleteList extends CloudError {
  constructor(operation: CloudOperation, { open, known }: Offer<unknown>) {
    const field = `${open.size} of ${known} known ids are missing from the list at once`;
    super({ operation, kind: 'unreadable', sent: true, fromApi: false, field });
  }
}

/**
 * Polls the list of a kind, by the policy clock. It polls each minute while it has a listener, and
 * faster while the cloud works. Callers that wait share a request.
 */
export class Poller<T> implements ListPoller<T> {
  readonly operation: CloudOperation;
  readonly #options: ListPollerOptions<T>;
  readonly #keeper: SnapshotKeeper<T>;
  readonly #finder: Finder<T>;
  readonly #waiters = new Set<Waiter<T>>();
  readonly #listeners = new Set<(ids: ReadonlySet<string>) => void>();
  readonly #inProgress = new Map<string, number>();
  readonly #stopped = new AbortController();
  #timer: { readonly at: number; readonly handle: Disposable } | undefined;
  #isRunning = false;
  /** Policy time of the last list, or of the start. */
  #lastAt: number;
  #idleAt: number;
  readonly #bornAt: number;
  #usedAt: number;
  #retryAt: number | undefined;
  #restUntil = 0;
  failure: CloudError | undefined;
  isPlaceDenied = false;
  failingSince: number | undefined;
  #failures = 0;

  constructor(options: ListPollerOptions<T>) {
    this.operation = options.operation;
    this.#options = options;
    this.#keeper = new SnapshotKeeper(options);
    this.#finder = new Finder({
      ...options,
      keeper: this.#keeper,
      since: (notBefore) => this.since(notBefore),
      unreadable: (item) => this.unreadable(item),
      put: (id, item) => this.#notify(this.#keeper.put(id, item, true)),
    });
    this.#bornAt = options.clock.now();
    this.#lastAt = this.#bornAt;
    this.#usedAt = this.#bornAt;
    this.#idleAt = this.#lastAt + idleDelayMs(options.random());
  }

  get latest(): Snapshot<T> | undefined {
    return this.#keeper.latest;
  }

  /** Policy time of the last believed list, or of the start; undefined without a listener. */
  get asOf(): number | undefined {
    return this.#listeners.size === 0 ? undefined : (this.#keeper.latest?.begunAt ?? this.#bornAt);
  }

  /** There is a listener, a waiting caller or work in progress, or a caller asked within the last ten minutes. */
  get inUse(): boolean {
    const isKept = this.#options.clock.now() - this.#usedAt < keptMs;
    return isKept || this.#listeners.size > 0 || this.#inProgress.size > 0 || this.#isBusy();
  }

  since(notBefore: number): Promise<Snapshot<T>> {
    this.#usedAt = this.#options.clock.now();
    if (this.#stopped.signal.aborted) return Promise.reject(this.#aborted());
    const { clock, untilStopped } = this.#options;
    const { latest } = this.#keeper;
    if (latest && latest.begunAt >= notBefore) return Promise.resolve(latest);
    // The next request may take as long as the failed request, and each waiting visit occupies a worker.
    if (this.failure && this.#isBusy()) return Promise.reject(this.failure);
    const { promise, resolve, reject } = Promise.withResolvers<Snapshot<T>>();
    const startAt = Math.max(clock.now() + shareMs, notBefore);
    this.#waiters.add({ notBefore, startAt, resolve, reject });
    // After a restart thousands wait, and few change the plan.
    if (!this.#timer || Math.max(startAt, this.#restUntil) < this.#timer.at) this.#plan();
    return untilStopped?.(promise) ?? promise;
  }

  find(id: string, options: FindOptions): Promise<Found<T>> {
    this.#usedAt = this.#options.clock.now();
    return this.#finder.find(id, options);
  }

  unexplained(
    snapshot: Snapshot<T>,
    matters?: (id: string) => boolean,
  ): Promise<readonly string[]> {
    return this.#finder.unexplained(snapshot, matters);
  }

  unreadable(item: T): CloudError | undefined {
    const { operation } = this;
    const field = this.#options.unreadableIn?.(item)?.first;
    return field === undefined
      ? undefined
      : new CloudError({ operation, kind: 'unreadable', sent: true, fromApi: false, field });
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
    const { leaving } = this.#keeper.absences.of(id);
    return leaving?.isAccepted ? leaving.at : undefined;
  }

  isDenied(id: string): boolean {
    return this.#keeper.absences.of(id).deniedAt !== undefined;
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

  /** Takes in a complete list from another request, begun at this policy time. It counts as a poll. */
  feed(items: readonly T[], begunAt: number): void {
    if (begunAt < (this.latest?.begunAt ?? 0)) return;
    const offer = this.#take(items, begunAt);
    if (!offer.latest) this.#failed(new IncompleteList(this.operation, offer), begunAt);
    this.#plan();
  }

  stop(): void {
    this.#stopped.abort();
    this.#rejectAll(this.#aborted());
    this.#plan();
  }

  #isBusy(): boolean {
    return this.#isRunning || this.#waiters.size > 0;
  }

  #rejectAll(error: unknown): void {
    for (const waiter of this.#waiters) waiter.reject(error);
    this.#waiters.clear();
  }

  async #begin(): Promise<void> {
    const begunAt = this.#options.clock.now();
    this.#timer = undefined;
    this.#isRunning = true;
    try {
      const snapshot = await this.#list(begunAt);
      for (const waiter of this.#waiters) {
        if (waiter.notBefore > begunAt) continue;
        this.#waiters.delete(waiter);
        waiter.resolve(snapshot);
      }
    } catch (error) {
      this.#failed(error, begunAt);
      // No caller waits for a second failure: the next request may take as long as this request.
      this.#rejectAll(error);
    } finally {
      this.#isRunning = false;
      this.#plan();
    }
  }

  /**
   * Sends a LIST.
   * @throws {CloudError} also when the list is not believed
   */
  async #list(begunAt: number): Promise<Snapshot<T>> {
    const items = await this.#options.list(this.#stopped.signal);
    const offer = this.#take(items, begunAt, await this.#keeper.unchanged(items));
    if (offer.latest) return offer.latest;
    await this.#finder.sample(offer.open);
    throw new IncompleteList(this.operation, offer);
  }

  #take(items: readonly T[], begunAt: number, unchanged?: ReadonlyMap<T, T>): Offer<T> {
    const offer = this.#keeper.offer(items, begunAt, unchanged);
    const { latest, changed } = offer;
    this.#lastAt = Math.max(this.#lastAt, begunAt);
    this.#idleAt = this.#lastAt + idleDelayMs(this.#options.random());
    if (!latest) return offer;
    // Visits that failed with the list wait longer and longer. They must learn of the end even if no resource changed.
    const concernsAll = this.failure !== undefined && this.#failures > 1;
    this.#failures = 0;
    this.#retryAt = undefined;
    this.failure = undefined;
    this.failingSince = undefined;
    this.isPlaceDenied = false;
    // A resource that vanished has no work in progress.
    for (const id of changed) if (!latest.items.has(id)) this.#inProgress.delete(id);
    this.#notify(concernsAll ? changed.union(latest.items) : changed);
    return offer;
  }

  #failed(error: unknown, begunAt: number): void {
    const { clock, random } = this.#options;
    this.#failures += 1;
    this.failingSince ??= begunAt;
    const failure = error instanceof CloudError ? error : undefined;
    const isIncomplete = failure instanceof IncompleteList;
    const delayMs = failureDelayMs(
      this.#failures,
      random(),
      isIncomplete ? longestIncompleteMs : longestBackOffMs,
    );
    this.#retryAt = clock.now() + Math.max(failure?.retryAfterMs ?? 0, delayMs);
    // Each list that is not believed costs GETs, too.
    this.#restUntil = isIncomplete ? this.#retryAt : begunAt + restMs;
    this.failure = failure ?? this.failure;
    if (failure?.kind !== 'notFound' || this.isPlaceDenied) return;
    this.isPlaceDenied = true;
    // The parent of the list may be gone, which concerns every resource that was in it.
    this.#notify(new Set(this.#keeper.latest?.items.keys()));
  }

  #notify(ids: ReadonlySet<string>): void {
    if (ids.size > 0) for (const listener of this.#listeners) listener(ids);
  }

  #plan(): void {
    if (this.#isRunning) return;
    const wantedAts = [...this.#waiters].map(({ startAt }) => startAt);
    const at = Math.max(this.#restUntil, Math.min(this.#nextPollAt(), ...wantedAts));
    if (at === this.#timer?.at) return;
    this.#timer?.handle[Symbol.dispose]();
    this.#timer = undefined;
    if (at === Infinity) return;
    const { clock } = this.#options;
    this.#timer = {
      at,
      handle: clock.schedule(Math.max(0, at - clock.now()), () => void this.#begin()),
    };
  }

  #nextPollAt(): number {
    const isFollowed = this.#listeners.size > 0;
    if (this.#stopped.signal.aborted || (!isFollowed && this.#inProgress.size === 0))
      return Infinity;
    if (this.#retryAt !== undefined) return this.#retryAt;
    const progressAt = nextProgressPollMs(this.#lastAt, this.#inProgress.values());
    return isFollowed ? Math.min(progressAt, this.#idleAt) : progressAt;
  }

  #aborted(): CloudError {
    return new CloudError({
      operation: this.operation,
      kind: 'aborted',
      sent: false,
      fromApi: false,
    });
  }
}

const firstMs = 1_000;
const growth = 0.5;
const longestMs = 15_000;
const idleMs = 60_000;
const idleJitter = 0.1;
const longestBackOffMs = 60_000;
/** The next list often has an id that the last list lacked. */
const longestIncompleteMs = 5_000;

/** By the age of the operation: 1 s, growing by half each time, to 15 s. */
function progressDelayMs(ageMs: number): number {
  // After delays of 1, 1.5, 2.25 … the age is 2 (1.5^n - 1). So each delay is 1 s plus half the age.
  return Math.min(longestMs, firstMs + Math.max(0, ageMs) * growth);
}

/** A minute plus up to a tenth, so that many lists are not polled in step. */
function idleDelayMs(random: number): number {
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
function nextProgressPollMs(lastBegunAt: number, startedAts: Iterable<number>): number {
  let earliest = Infinity;
  for (const startedAt of startedAts) {
    const at = Math.max(lastBegunAt, startedAt) + progressDelayMs(lastBegunAt - startedAt);
    earliest = Math.min(earliest, at);
  }
  return earliest;
}
