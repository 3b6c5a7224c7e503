import { CloudError } from '../../cloud/cloud-error.ts';
import type { ListPoller } from '../../cloud/list-poller.ts';
import type { Account } from '../account.ts';
import type { Context } from '../context.ts';
import type { SameNames } from '../situation.ts';
import type { ObjectSight } from './observe-object.ts';

/** Where a name may be taken already, and how old the list may be: a kind that shows when things were created needs no fresh one. */
export interface NamePlace<T> {
  readonly list: ListPoller<T>;
  readonly maxAgeMs: number;
}

/** Resources that carry a name which the user chose: before a create they may be the very one that is asked for. */
export async function sameNames<T extends { readonly name?: string | undefined }>(
  { object, usable: account, identity, record }: ObjectSight,
  placeIn: (account: Account) => NamePlace<T> | undefined,
  context: Context,
): Promise<SameNames> {
  const { name } = object.spec;
  const isCreating = identity.state !== 'known' || object.metadata.annotations?.['managed-db.io/allow-recreate'] === identity.id;
  const place = account && isCreating && name !== undefined && !object.metadata.deletionTimestamp ? placeIn(account) : undefined;
  if (!account || !place) return { state: 'read', ids: [], unclaimed: [] };
  try {
    const { items } = await place.list.since(context.clock.now() - place.maxAgeMs);
    const ids = [...items].filter(([id, item]) => item.name === name && id !== record.id).map(([id]) => id);
    return { state: 'read', ids, unclaimed: ids.filter((id) => !context.claims.ownerOf(object.kind, account.projectId, id)) };
  } catch (error) {
    if (error instanceof CloudError) return { state: 'unknown', error };
    throw error;
  }
}
