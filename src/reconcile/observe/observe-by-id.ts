import type { Account } from '../credentials/account.ts';
import { CloudError, orCloudError, type CloudErrorKind } from '../../cloud/cloud-error.ts';
import type { ListPoller } from '../../cloud/list-poller.ts';
import type { ObservedResource } from '../situation/observed-resource.ts';
import type { Situation } from '../situation/situation.ts';
import { attemptOpenMs } from '../record/attempt.ts';
import type { ObservedObject } from './observe-object.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

export interface ObserveByIdOptions<T> {
  readonly list: ListPoller<T>;
  readonly id: string;
  /** Whether a 404 counts: the id was seen before, or was created long enough ago for every list and replica to know it. */
  readonly seenBefore: boolean;
  /** Policy time after which the list must have begun. 0: any list is new enough. */
  readonly notBefore: number;
}

/** Observes a resource. A failed call is an observation, too. */
export async function observeById<T>({ list, id, seenBefore, notBefore }: ObserveByIdOptions<T>): Promise<ObservedResource<T>> {
  const found = await orCloudError(list.find(id, { notBefore, mayBeAbsent: seenBefore }));
  return found instanceof CloudError ? { state: 'unknown', error: found } : found;
}

/**
 * The observation with its missing parts taken from the last status, if that status shows the same resource.
 * @param whole completes a resource from the last status
 */
export function completed<T>(
  seen: ObservedResource<T>,
  { identity, object }: Pick<Situation, 'identity' | 'object'>,
  whole: (resource: T) => T,
): ObservedResource<T> {
  const isShown = identity.state === 'known' && identity.id === object.status?.id;
  return seen.state === 'present' && isShown ? { ...seen, resource: whole(seen.resource) } : seen;
}

/** Whether a 404 counts: the resource was seen after the answer to its create, or was created long enough ago for every part of the cloud to know it. */
export function wasSeenBefore({ object, claimedAt, identity, now }: ObservedObject): boolean {
  if (identity.state !== 'known') return false;
  const { lastOperation: last, id } = object.status ?? {};
  if (last?.operation === 'delete' && last.wanted === identity.id) return true;
  // Status with another id describes an earlier, lost resource.
  if (id === identity.id && isMoreThanAnAnswer(object)) return true;
  return claimedAt !== undefined && now - claimedAt > attemptOpenMs;
}

const firstStates: ReadonlySet<string> = new Set(['QUEUED', 'CONFIGURING']);

/**
 * Whether status proves more than the answer to the create: a service beyond its first states was seen in a list, and so was a Lost resource. A VPC has no
 * such state.
 */
function isMoreThanAnAnswer({ kind, status }: ManagedObject): boolean {
  if (status?.conditions?.some(({ type, reason }) => type === 'Stalled' && reason === 'Lost')) return true;
  return kind === 'ManagedService' && status?.state !== undefined && !firstStates.has(status.state);
}

/**
 * The answer to a GET; undefined if the resource does not exist.
 * @param alsoSaidBy another kind of error with the same meaning
 */
export async function unlessNotFound<T>(reply: Promise<T>, alsoSaidBy?: CloudErrorKind): Promise<T | undefined> {
  const answer = await orCloudError(reply);
  if (!(answer instanceof CloudError)) return answer;
  if (answer.kind === 'notFound' || answer.kind === alsoSaidBy) return undefined;
  throw answer;
}

/** Observes the resource of an object, for a kind with a GET. */
export async function observeResource<T>(
  observed: ObservedObject,
  listIn: (account: Account) => ListPoller<T>,
): Promise<ObservedResource<T>> {
  const { identity, usable, openAttempt: open, notBefore } = observed;
  if (identity.state !== 'known' || open) return { state: 'none' };
  if (!usable) return { state: 'unknown', error: undefined };
  return observeById({ list: listIn(usable), id: identity.id, seenBefore: wasSeenBefore(observed), notBefore });
}
