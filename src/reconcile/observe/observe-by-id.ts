import type { Account } from '../credentials/accounts.ts';
import { CloudError, orCloudError } from '../../cloud/cloud-error.ts';
import type { FindOptions, ListPoller } from '../../cloud/list-poller.ts';
import type { ObservedResource, Situation } from '../situation/situation.ts';
import { attemptOpenMs } from '../ledger/attempt.ts';
import { shownAs, type ShownAs } from '../ledger/record.ts';
import { firstSeen } from '../situation/history.ts';
import type { ObservedObject } from './observe-object.ts';

/** The list and the id of a resource, and the age that an observation may have. */
export interface ObserveByIdOptions<T> extends FindOptions {
  readonly list: ListPoller<T>;
  readonly id: string;
}

/**
 * Looks for a resource by its id in a list, and in the cloud alone if the list lacks it. It never
 * throws a {@link CloudError}.
 */
export async function observeById<T>({
  list,
  id,
  ...options
}: ObserveByIdOptions<T>): Promise<ObservedResource<T>> {
  const found = await orCloudError(list.find(id, options));
  return found instanceof CloudError ? { state: 'unknown', error: found } : found;
}

/**
 * Policy time from which an absence counts, though no list has shown the resource, or the peering, to this process.
 * (docs/safety.md, Gone)
 */
export function absentFrom(observed: ObservedObject, of: ShownAs, id: string): number {
  const shown = shownAs(of, id);
  if (observed.record.deletionStarted?.shown?.includes(shown)) return 0;
  return firstSeen(observed, shown) + attemptOpenMs;
}

/** The observation with the resource as the cloud shows it alone, which goes into the snapshot. */
export async function observeAlone<T>(
  { cloud, record: { id } }: Pick<Situation<T>, 'cloud' | 'record'>,
  { list, get }: Pick<CloudPlace<T>, 'list' | 'get'>,
): Promise<ObservedResource<T>> {
  if (cloud.state !== 'present' || id === undefined) return cloud;
  const answer = await orCloudError(get(id));
  if (answer instanceof CloudError) return { state: 'unknown', error: answer };
  if (answer === undefined) return { state: 'unknown', error: undefined };
  const unreadable = list.unreadable(answer);
  if (unreadable) return { state: 'unknown', error: unreadable };
  list.put(id, answer);
  return { ...cloud, resource: answer };
}

/**
 * Observes the resource of an object by its recorded id. `none` while no id is recorded, and while
 * a create is open: its result may replace the resource.
 */
export async function observeResource<T>(
  observed: ObservedObject,
  placeIn: (account: Account) => CloudPlace<T>,
): Promise<ObservedResource<T>> {
  const { record, usable, notBefore } = observed;
  const { id, attempt } = record;
  if (id === undefined || attempt) return { state: 'none' };
  if (!usable) return { state: 'unknown', error: undefined };
  const { list } = placeIn(usable);
  return observeById({ list, id, absentFrom: absentFrom(observed, 'resource', id), notBefore });
}

/**
 * The fields that are fixed at creation, with the value in the spec and the actual value. An adoption stops at a
 * difference.
 */
export type FixedFields = readonly (readonly [field: string, wanted: unknown, actual: unknown])[];

/** The place where the cloud shows the resources of a kind, and the comparisons with a resource. */
export interface CloudPlace<T> {
  readonly list: ListPoller<T>;
  /** Reads the resource alone; undefined if the cloud does not show it. */
  readonly get: (id: string) => Promise<T | undefined>;
  readonly fixed: (resource: T) => FixedFields;
  /** For a list below a parent: whether the parent is proven to be gone. Called if the list is answered with 404. */
  readonly isPlaceGone?: (notBefore: number) => Promise<boolean>;
}

/** Undefined while it is not known where in the project the resource is. */
export type CloudPlaceIn<T> = (account: Account) => CloudPlace<T> | undefined;
