import type { ListPoller } from '../../cloud/list-poller.ts';
import type { Account } from '../credentials/account.ts';

/** The place where the cloud shows the resources of a kind, and the comparisons with one of them. */
export interface Place<T> {
  readonly list: ListPoller<T>;
  /** Absent for a kind without a GET. */
  readonly get?: (id: string) => Promise<T>;
  /** The fields that cannot be changed, with the value in the spec and the actual one. */
  readonly fixed: (resource: T) => readonly (readonly [field: string, wanted: unknown, actual: unknown])[];
  /** For a list below a parent: whether the parent is proven to be gone. Called if the list is answered with 404. */
  readonly isPlaceGone?: () => Promise<boolean>;
}

/** Undefined while it is not known where in the project the resource is. */
export type PlaceIn<T> = (account: Account) => Place<T> | undefined;
