import type { CloudOperation } from './cloud-api.ts';
import type { CloudError } from './cloud-error.ts';
import type { Snapshot, SnapshotOptions } from './snapshot.ts';
import type { Unreadable } from './wire/field.ts';

/** See `snapshot.ts`: callers of a poller need no other part of it. */
export type { Snapshot } from './snapshot.ts';

/** Observes all resources of a kind by a LIST that serves all callers. */
export interface ListPoller<T> {
  readonly operation: CloudOperation;
  /** The last believed list, with later changes. */
  readonly latest: Snapshot<T> | undefined;
  /**
   * Returns a snapshot whose LIST began at or after `notBefore` (policy time).
   * @throws {CloudError} also for a list that is not believed
   */
  since(notBefore: number): Promise<Snapshot<T>>;
  /**
   * Looks for a resource in the latest snapshot, then by a GET.
   * @param id usually a known id; the absence of an unknown id never casts doubt on a list
   * @throws {CloudError} if the LIST or the GET fails, or the resource could not be read completely
   */
  find(id: string, options: FindOptions): Promise<Found<T>>;
  /**
   * The known ids that a snapshot lacks, unless the cloud reported them as gone or leaving. For callers that conclude
   * an absence. Makes a GET for at most ten of them per list.
   * @param matters on which ids the conclusion depends; by default on all
   */
  unexplained(snapshot: Snapshot<T>, matters?: (id: string) => boolean): Promise<readonly string[]>;
  /**
   * Puts the answer of a mutation or a GET into the latest snapshot, in place. An earlier LIST does not undo it, nor a LIST
   * that lacks a resource which no LIST has shown yet, for ten seconds. Calls the listeners.
   */
  put(id: string, item: T): void;
  /**
   * The error of an item that is there, but could not be read completely. `find` throws it. A caller that reads items
   * itself may conclude nothing from the fields of such an item, except that it is there.
   */
  unreadable(item: T): CloudError | undefined;
  /** Whether an item is being deleted, or is only left to be seen as deleted. */
  isLeaving(item: T): boolean;
  /** The cloud accepted a DELETE. A resource of a kind without a state for it (`isLeaving`) leaves the snapshot at once. */
  acceptRemoval(id: string): void;
  /** A DELETE was answered with 404, which alone proves nothing. The snapshot hides the resource until a later list. */
  denyRemoval(id: string): void;
  /** Whether the cloud denied the resource with a 404, and has not shown it since. */
  isDenied(id: string): boolean;
  /** Policy time at which the cloud accepted a DELETE of the resource in the last minute. */
  removalAcceptedAt(id: string): number | undefined;
  /**
   * The cloud has worked on this id since `startedAt` (policy time), so the list is polled more often, until `endProgress`,
   * or until a list lacks the id after an earlier list showed it.
   */
  expectProgress(id: string, startedAt: number): void;
  endProgress(id: string): void;
  /**
   * Calls the listener with the ids that appeared, vanished or changed (deeply, without `metrics` and
   * `initial_password`). Calls it with all ids at the first list, and after a 404 to the list itself.
   */
  onChange(listener: (ids: ReadonlySet<string>) => void): Disposable;
  /** The error of the last failed poll; undefined once a poll succeeds. */
  readonly failure: CloudError | undefined;
  /** Whether the cloud has answered the LIST itself with 404 since the last list: its parent may be gone, and `latest` is no evidence. */
  readonly isPlaceDenied: boolean;
  /** Policy time of the begin of the first failed poll in a row. */
  readonly failingSince: number | undefined;
  /** Ends polling. Waiting callers get the error `aborted`. */
  stop(): void;
}

/** How new the evidence of {@link ListPoller.find} must be. */
export interface FindOptions {
  /** A LIST that began before this policy time proves no absence. 0: the latest list is new enough. */
  readonly notBefore: number;
  /** Policy time from which every part of the cloud knows the resource. Undefined: no absence is to be proven. */
  readonly absentFrom?: number;
}

/**
 * The answer of {@link ListPoller.find}. Times are policy time.
 * - `present`: the cloud showed the resource at `asOf`. `isShown`: a list has shown the resource to
 *   this process, not only another answer of the cloud.
 * - `missing`: not found, and not proven to be gone. Another look is worthwhile at `again`.
 * - `absent`: proven by the rules of absences.ts, with an API key of the same project.
 */
export type Found<T> =
  | {
      readonly state: 'present';
      readonly resource: T;
      readonly asOf: number;
      readonly isShown?: boolean;
    }
  | { readonly state: 'missing'; readonly again: number }
  | { readonly state: 'absent' };

/** Ends a wait when the operator stops. The runtime's `untilStopped` has this shape. */
export type UntilStopped = <T>(wait: Promise<T>) => Promise<T>;

/** How a kind of resource is listed and read. */
export interface ListPollerOptions<T> extends SnapshotOptions<T> {
  readonly operation: CloudOperation;
  readonly list: (signal: AbortSignal) => Promise<readonly T[]>;
  /**
   * Whether the API key still belongs to the project of the list. The poller calls it once for each list that proves
   * absences. Default: yes.
   */
  readonly isSameProject?: () => Promise<boolean>;
  /** The part of an item that could not be read. Default: each item was read completely. */
  readonly unreadableIn?: (item: T) => Unreadable | undefined;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Default: waits do not end with the operator. */
  readonly untilStopped?: UntilStopped;
}
