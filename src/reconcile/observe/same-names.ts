import { CloudError, orCloudError } from '../../cloud/cloud-error.ts';
import type { Snapshot } from '../../cloud/list-poller.ts';
import type { View } from '../process/context.ts';
import type { SameNames } from '../situation/situation.ts';
import type { ObservedObject } from './observe-object.ts';
import type { PlaceIn } from './observe-by-id.ts';
import { mayHaveName } from '../record/attempt.ts';
import { mayBeReplaced } from '../situation/recreation.ts';

const recentMs = 10_000;

/**
 * Resources with the name that the user chose, or shown without a name. Before a create, any of them may be the
 * wanted resource. From a whole list of this visit: an older list may lack a resource that another creator made
 * since.
 */
export async function sameNames<T extends { readonly name?: string | undefined }>(
  { object, usable: account, identity, record, now }: ObservedObject,
  placeIn: PlaceIn<T>,
  context: View,
): Promise<SameNames> {
  const { name } = object.spec;
  const isCreating = identity.state !== 'known' || mayBeReplaced(object, identity.id);
  const list = account && isCreating && !object.metadata.deletionTimestamp ? placeIn(account)?.list : undefined;
  if (!account || !list || name === undefined) return { state: 'read', ids: [], unclaimed: [] };
  const namesakes = ({ items }: Pick<Snapshot<T>, 'items'>) =>
    [...items].filter(([id, item]) => mayHaveName(item, name) && id !== record.id).map(([id]) => id);
  // A recent list that shows the name is enough to ask the user. Only a list of this visit proves that the name
  // is free.
  const recent = list.latest && now - list.latest.begunAt < recentMs && namesakes(list.latest).length > 0 ? list.latest : undefined;
  const listed = recent ?? (await orCloudError(list.since(now)));
  if (listed instanceof CloudError) return { state: 'unknown', error: listed };
  const missing = await orCloudError(list.unexplained(listed));
  if (missing instanceof CloudError) return { state: 'unknown', error: missing };
  if (missing.length > 0) return { state: 'incomplete', missing };
  const ids = namesakes(listed);
  const unclaimed = ids.filter((id) => !context.claims.ownerOf(object.kind, account.projectId, id));
  return { state: 'read', ids, unclaimed, unnamed: unclaimed.filter((id) => listed.items.get(id)?.name === undefined) };
}
