import { CloudError, orCloudError } from '../../cloud/cloud-error.ts';
import type { ListPoller } from '../../cloud/list-poller.ts';
import type { CloudSight } from '../situation/cloud-sight.ts';
import type { Situation } from '../situation/situation.ts';

export interface SightOptions<T> {
  readonly list: ListPoller<T>;
  readonly id: string;
  /** Whether a 404 may count: the id was seen before, or the create is long enough ago for every list and replica to know it. */
  readonly seenBefore: boolean;
  /** Policy time before which a list is too old. 0: any will do. */
  readonly notBefore: number;
}

/** What the cloud shows of a resource; a failure is knowledge, too. */
export async function sightById<T>({ list, id, seenBefore, notBefore }: SightOptions<T>): Promise<CloudSight<T>> {
  const found = await orCloudError(list.find(id, { notBefore, mayBeAbsent: seenBefore }));
  return found instanceof CloudError ? { state: 'unknown', error: found } : found;
}

/**
 * The same, with what the reply lacks as it was, where the status of the object shows this very resource.
 * @param whole a resource, with what it lacks as the last status showed it
 */
export function wholeSight<T>(
  seen: CloudSight<T>,
  { identity, object }: Pick<Situation, 'identity' | 'object'>,
  whole: (resource: T) => T,
): CloudSight<T> {
  const isShown = identity.state === 'known' && identity.id === object.status?.id;
  return seen.state === 'present' && isShown ? { ...seen, resource: whole(seen.resource) } : seen;
}
