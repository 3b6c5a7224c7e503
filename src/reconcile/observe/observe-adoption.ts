import { CloudError, orCloudError } from '../../cloud/cloud-error.ts';
import { annotations } from '../../resources/annotations.ts';
import { keyOf } from '../../runtime/index.ts';
import type { View } from '../process/context.ts';
import { differs, text } from '../decide/field.ts';
import type { ObservedResource } from '../situation/observed-resource.ts';
import { mayBeReplaced } from '../situation/recreation.ts';
import type { ObservedAdoption } from '../situation/situation.ts';
import { type ObservedObject, listLagMs } from './observe-object.ts';
import { type Place, type PlaceIn, unlessNotFound } from './observe-by-id.ts';

export async function observeAdoption<T extends { readonly name?: string | undefined }>(
  { object, usable: account, identity, claim, options, leftovers = [] }: ObservedObject,
  cloud: ObservedResource<unknown>,
  placeIn: PlaceIn<T>,
  context: View,
): Promise<ObservedAdoption> {
  const id = object.metadata.annotations?.[annotations.externalId];
  const isReplacement = identity.state === 'known' && cloud.state === 'absent' && mayBeReplaced(object, identity.id) && id !== identity.id;
  const isFree = identity.state === 'none' || isReplacement;
  if (id === undefined || !isFree || claim.state !== 'ours' || object.metadata.deletionTimestamp) return { state: 'notAsked' };
  if (!account) return { state: 'unknown', id, error: undefined };
  const isAllowed = !account.operatorsOwn || options.sharedProjectAdoption || leftovers.some((each) => each.id === id);
  if (!isAllowed && leftovers.every(({ asked }) => asked === undefined)) return { state: 'notAllowed', id };
  const owner = context.claims.ownerOf(object.kind, account.projectId, id);
  if (owner) return { state: 'owned', id, owner };
  const place = placeIn(account);
  if (!place) return { state: 'unknown', id, error: undefined };
  const found = await orCloudError(lookIn(place, id, context));
  if (found instanceof CloudError) return { state: 'unknown', id, error: found };
  if (!found || place.list.isLeaving(found)) return { state: 'notFound', id, projectId: account.projectId };
  // The answer to a create in flight would be without an owner.
  const maker =
    found.name === undefined ? undefined : context.claims.openCreateOf(object.kind, account.projectId, { id, name: found.name });
  // The create of an earlier object of this name is left to this object: the earlier object is gone.
  const isLeft = maker !== undefined && maker.uid !== object.metadata.uid && maker.key === keyOf(object);
  if (maker && maker.uid !== object.metadata.uid && !isLeft) return { state: 'owned', id, owner: maker };
  if (!isAllowed && !isLeft) return { state: 'notAllowed', id };
  const mismatch = firstMismatch(place.fixed(found));
  return mismatch === undefined ? { state: 'found', id, projectId: account.projectId } : { state: 'mismatch', id, mismatch };
}

async function lookIn<T>({ list, get }: Place<T>, id: string, { clock }: View): Promise<T | undefined> {
  const { items } = await list.since(clock.now() - listLagMs);
  // An id that the cloud rejects as invalid names no resource either.
  return items.get(id) ?? (get && (await unlessNotFound(get(id), 'invalid')));
}

/** Such as `spec.cidr (wanted 10.0.0.0/16, is 10.1.0.0/16)`. */
function firstMismatch(fields: ReturnType<Place<unknown>['fixed']>): string | undefined {
  const found = fields.find(([, wanted, actual]) => differs(wanted, actual));
  return found && `${found[0]} (wanted ${text(found[1])}, is ${text(found[2])})`;
}
