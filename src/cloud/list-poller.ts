import type { CloudOperation } from './cloud-api.ts';
import type { CloudError } from './cloud-error.ts';
import type { Clock } from './clock.ts';
import type { Parked } from './parked.ts';
import { Poller } from './poller.ts';
import type { Snapshot } from './snapshot.ts';

export type { Snapshot } from './snapshot.ts';

/** Bulk observation of one LIST: one request serves everybody who wants to know. */
export interface ListPoller<T> {
  /** The last list that was believed, with what is known since. */
  readonly latest: Snapshot<T> | undefined;
  /**
   * A snapshot whose LIST was begun at or after `notBefore` (policy time). Calls within 100 ms share one request; a running LIST is shared only if it
   * began late enough. A list that lacks too much to be believed is asked for again, for some seconds; and while somebody listens, until one is believed.
   * @throws {CloudError} also kind `unreadable` when no list could be believed
   */
  since(notBefore: number, signal?: AbortSignal): Promise<Snapshot<T>>;
  /**
   * Looks for one resource: in the latest snapshot, else by a GET (a few for each list, and none of what was deleted by `expectRemoval`), and proves
   * that it is gone, where that can be proven now.
   * @param id should be one of the known ids; others are looked for as well, but nobody else waits for what becomes of them
   * @throws {CloudError}
   */
  find(id: string, options: FindOptions): Promise<Found<T>>;
  /**
   * Whether a snapshot of this list shows everything that there is: what it lacks of the known ids, the cloud itself says is gone, or going. For
   * whoever concludes from it that something was never made. Makes a few GETs.
   * @throws {CloudError} when one of those that it lacks could not be asked for
   */
  isWhole(snapshot: Snapshot<T>): Promise<boolean>;
  /**
   * A mutation's or a GET's answer goes into the latest snapshot, in place; a LIST begun before this moment does not undo it. Nor does a LIST that
   * lacks it within ten seconds, if no LIST ever had it: lists lag. Tells the listeners.
   */
  put(id: string, item: T): void;
  /** The resource is known to be gone. As `put`. */
  remove(id: string): void;
  /** A DELETE of it was accepted: it will vanish from the lists. That gives no reason to doubt them, and none to ask for it by a GET. */
  expectRemoval(id: string): void;
  /**
   * Work has been in progress on this id since `startedAt` (policy time): the list is polled after 1 s, growing by half to 15 s, by the youngest
   * operation. `settled` ends that, and a list that lacks it after another showed it. Otherwise every 60 s with jitter while somebody listens.
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

export interface FindOptions {
  /** Policy time before which a LIST is too old to be gone by. 0: the latest will do. */
  readonly notBefore: number;
  /** Whether its absence counts: it was seen before, or made long enough ago for every list to have it. */
  readonly mayBeAbsent: boolean;
}

export type Found<T> =
  | { readonly state: 'present'; readonly resource: T; readonly asOf: number }
  /** Not found and not proven to be gone; another look is worth it at `again` (policy time). */
  | { readonly state: 'missing'; readonly again: number }
  /** Gone, by the rules of absences.ts, and the API key still belongs to the project. */
  | { readonly state: 'absent' };

export interface ListPollerOptions<T> {
  /** For errors. */
  readonly operation: CloudOperation;
  readonly list: (signal: AbortSignal) => Promise<readonly T[]>;
  /** Reads one by itself, for a kind that can be. */
  readonly get?: (id: string) => Promise<T>;
  /** Whether the API key still belongs to the project that the list is of: asked once for each list that proves absences. Default: yes. */
  readonly isSameProject?: () => Promise<boolean>;
  /** Items without an id are left out. */
  readonly idOf: (item: T) => string | undefined;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Ids that should be in the list as far as others know, beside those of the list before; see absences.ts. */
  readonly knownIds?: () => Iterable<string>;
  /** Whether it is no surprise when this item is missing from the next list. */
  readonly isLeaving?: (item: T) => boolean;
  /** How long whoever asks for a LIST waits for others to share it. */
  readonly shareMs?: number;
  /** Goes around each wait for a LIST, so that whoever waits holds nobody up. */
  readonly parked?: Parked;
}

/** A poller that can also be told a list that was read elsewhere. */
export interface FedListPoller<T> extends ListPoller<T> {
  /** A whole list that was read with another, begun at this policy time; counts as a poll. */
  feed(items: readonly T[], begunAt: number): void;
  readonly operation: CloudOperation;
  /** Policy time of the last list that was believed, or of the beginning while there is none; undefined while nobody listens. */
  readonly asOf: number | undefined;
  /** Whether somebody listens, waits or expects progress. */
  readonly inUse: boolean;
}

export function listPoller<T>(options: ListPollerOptions<T>): FedListPoller<T> {
  return new Poller(options);
}
