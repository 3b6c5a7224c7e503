import type { Account } from '../credentials/accounts.ts';
import { CloudError, orCloudError } from '../../cloud/cloud-error.ts';
import type { FindOptions, ListPoller } from '../../cloud/list-poller.ts';
import type { ObservedResource, Situation } from '../situation/situation.ts';
import { attemptOpenMs } from '../record/record.ts';
import { firstSeen } from '../situation/history.ts';
import type { ObservedObject } from './observe-object.ts';

export interface ObserveByIdOptions<T> extends FindOptions {
  readonly list: ListPoller<T>;
  readonly id: string;
}

export async function observeById<T>({ list, id, ...options }: ObserveByIdOptions<T>): Promise<ObservedResource<T>> {
  const found = await orCloudError(list.find(id, options));
  return found instanceof CloudError ? { state: 'unknown', error: found } : found;
}

/** Policy time from which an absence counts, though no list has shown the resource. */
export function absentFrom(observed: ObservedObject, id: string): number {
  return firstSeen(observed, `resource ${id}`) + attemptOpenMs;
}

/**
 * The observation with the resource as the cloud shows it alone, which goes into the snapshot.
 * @param read undefined if the cloud does not show the resource
 */
export async function observeAlone<T>(
  { cloud, identity }: Pick<Situation<T>, 'cloud' | 'identity'>,
  list: Pick<ListPoller<T>, 'put'>,
  read: (id: string) => Promise<T | undefined>,
): Promise<ObservedResource<T>> {
  if (cloud.state !== 'present' || identity.state !== 'known') return cloud;
  const answer = await orCloudError(read(identity.id));
  if (answer instanceof CloudError) return { state: 'unknown', error: answer };
  if (answer === undefined) return { state: 'unknown', error: undefined };
  list.put(identity.id, answer);
  return { ...cloud, resource: answer };
}

export async function observeResource<T>(observed: ObservedObject, placeIn: (account: Account) => Place<T>): Promise<ObservedResource<T>> {
  const { identity, usable, openAttempt: open, notBefore } = observed;
  if (identity.state !== 'known' || open) return { state: 'none' };
  if (!usable) return { state: 'unknown', error: undefined };
  const { list } = placeIn(usable);
  return observeById({ list, id: identity.id, absentFrom: absentFrom(observed, identity.id), notBefore });
}

/** The place where the cloud shows the resources of a kind, and the comparisons with a resource. */
export interface Place<T> {
  readonly list: ListPoller<T>;
  /** Absent for a kind without a GET. */
  readonly get?: (id: string) => Promise<T>;
  /** The immutable fields, with the value in the spec and the actual value. */
  readonly fixed: (resource: T) => readonly (readonly [field: string, wanted: unknown, actual: unknown])[];
  /** For a list below a parent: whether the parent is proven to be gone. Called if the list is answered with 404. */
  readonly isPlaceGone?: () => Promise<boolean>;
}

/** Undefined while it is not known where in the project the resource is. */
export type PlaceIn<T> = (account: Account) => Place<T> | undefined;
