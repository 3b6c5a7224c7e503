import type { ServiceId, Service } from '../../../cloud/wire/service.ts';
import type { ReplicaSet } from '../../../cloud/wire/replica-set.ts';
import type { Account } from '../../credentials/account.ts';
import type { ObservedResource } from '../../situation/observed-resource.ts';
import type { View } from '../../process/context.ts';
import { absentFrom, observeById } from '../../observe/observe-by-id.ts';
import type { ObservedObject } from '../../observe/observe-object.ts';
import { intervals } from '../../step/intervals.ts';

/**
 * Looks for a replica set in its parent's list, the only place that shows it. It is gone if its parent is gone, or if lists that began far enough apart lack
 * it. While it is being deleted, its DELETE must also have been answered with 404.
 */
export async function observeInParent(
  observed: ObservedObject,
  parentId: ServiceId | undefined,
  context: View,
): Promise<ObservedResource<ReplicaSet>> {
  if (observed.identity.state !== 'known' || observed.openAttempt) return { state: 'none' };
  const account = observed.usable;
  if (!account || parentId === undefined) return { state: 'unknown', error: undefined };
  const { id } = observed.identity;
  const { clock } = context;
  const list = account.observer.replicaSets(parentId);
  // A list from before the parent was gone proves nothing.
  const notBefore = list.failure?.kind === 'notFound' ? clock.now() : observed.notBefore;
  const seen = await observeById({ list, id, absentFrom: absentFrom(observed, id), notBefore });
  if (seen.state === 'unknown' && seen.error?.kind === 'notFound') {
    const parent = await observeParent(account, parentId, clock.now());
    return parent.state === 'present' ? seen : parent;
  }
  const isProven = !observed.object.metadata.deletionTimestamp || list.isDenied(id);
  return seen.state === 'absent' && !isProven ? { state: 'missing', again: clock.now() + intervals.forCloudMs } : seen;
}

/** Whether the cloud answered a DELETE of the replica set with 404. */
export function isNotFoundOnDelete({ usable, identity }: ObservedObject, parentId: ServiceId | undefined): boolean {
  return identity.state === 'known' && parentId !== undefined && usable?.observer.replicaSets(parentId).isDenied(identity.id) === true;
}

/** The list itself was answered with 404: the replica set is gone exactly if its parent is proven to be. A parent was READY, so the whole cloud knows it. */
function observeParent({ observer }: Account, id: ServiceId, notBefore: number): Promise<ObservedResource<Service>> {
  return observeById({ list: observer.services, id, absentFrom: 0, notBefore });
}

/** Whether the parent service is proven to be gone: then nothing below it exists. */
export async function isParentGone(account: Account, id: ServiceId, notBefore: number): Promise<boolean> {
  return (await observeParent(account, id, notBefore)).state === 'absent';
}
