import { isDeepStrictEqual } from 'node:util';
import { CloudError, orCloudError } from '../../cloud/cloud-error.ts';
import type { ObservedResource } from '../situation/observed-resource.ts';
import type { RequestedValue } from '../situation/learned.ts';
import type { ObservedObject } from './observe-object.ts';
import type { Place, PlaceIn } from './observe-by-id.ts';

type Values = ReturnType<Place<unknown>['values']>;

/**
 * The observation, if its list is not an old one. Servers of the cloud may answer lists in turn, and one may lag by minutes. So a value from before a change
 * that was seen carried out counts only if the cloud shows it for this resource alone, too.
 */
export async function confirmed<T>(
  seen: ObservedResource<T>,
  observed: Pick<ObservedObject, 'identity' | 'usable' | 'now' | 'learned'>,
  placeIn: PlaceIn<T>,
): Promise<ObservedResource<T>> {
  const { identity, usable, now, learned } = observed;
  const isAsked = learned.requested.size > 0;
  const place = seen.state === 'present' && isAsked && usable ? placeIn(usable) : undefined;
  if (seen.state !== 'present' || identity.state !== 'known' || !place) return seen;
  const { list, values, read } = place;
  const isDoubtful = hasOldValue(values(seen.resource), learned.requested);
  const answer = isDoubtful ? await orCloudError(read(identity.id)) : seen.resource;
  if (answer instanceof CloudError) return { state: 'unknown', error: answer };
  if (answer === undefined) return { state: 'unknown', error: undefined };
  noteSeen(values(answer), learned.requested, now);
  if (!isDoubtful) return seen;
  list.put(identity.id, answer);
  return { state: 'present', resource: answer, asOf: now };
}

/** Whether a value is as it was before a change that was seen carried out. Pure. */
export function hasOldValue(values: Values, requested: ReadonlyMap<string, RequestedValue>): boolean {
  return [...requested].some(([path, change]) => isOld(values[path], change));
}

/** Notes which changes were carried out, and forgets those that were undone since. */
export function noteSeen(values: Values, requested: Map<string, RequestedValue>, now: number): void {
  for (const [path, change] of requested) {
    const isAsBefore = values[path] === undefined || isOneOf(change.before, values[path]);
    if (!isAsBefore) requested.set(path, { ...change, seenAt: change.seenAt ?? now });
    else if (values[path] !== undefined && isOld(values[path], change)) requested.delete(path);
  }
}

/** Whether it is a value from before a change that showed, or after which the next one was asked for. */
function isOld(value: unknown, { before, seenAt }: RequestedValue): boolean {
  return isOneOf(seenAt === undefined ? before.slice(0, -1) : before, value);
}

function isOneOf(values: readonly unknown[], value: unknown): boolean {
  return values.some((each) => isDeepStrictEqual(value, each));
}
