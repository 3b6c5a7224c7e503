import { CloudError } from '../../cloud/cloud-error.ts';
import { serviceId, type ServiceId } from '../../cloud/wire/ids.ts';
import type { ReplicaSet } from '../../cloud/wire/replica-set.ts';
import type { Service } from '../../cloud/wire/service.ts';
import { keyOf } from '../../runtime/kubernetes-object.ts';
import type { Account } from '../account.ts';
import type { CloudSight } from '../cloud-sight.ts';
import type { Context } from '../context.ts';
import { listIsComplete } from '../observe/list-is-complete.ts';
import { sightById } from '../observe/sight-by-id.ts';
import type { ObjectSight } from '../observe/observe-object.ts';

/** Two lists that lack a replica set must be this far apart: there is no GET to ask. */
const apartMs = 10_000;
const lookAgainMs = 5_000;

/**
 * Looks for a replica set in its parent's list, which is the only place that shows it. It is gone when its parent is, or when two lists lack it
 * that were begun far enough apart; while it is being deleted also the DELETE must have said 404.
 */
export async function sightInParent(
  sight: ObjectSight,
  parentId: ServiceId | undefined,
  context: Context,
): Promise<CloudSight<ReplicaSet>> {
  if (sight.identity.state !== 'known' || sight.open) return { state: 'none' };
  const account = sight.usable;
  if (!account || parentId === undefined) return { state: 'unknown', error: undefined };
  const { id } = sight.identity;
  const memory = context.memory.of(sight.object.kind, keyOf(sight.object));
  try {
    const list = account.observer.replicaSets(parentId);
    const known = sight.notBefore === 0 ? list.latest : undefined;
    // What was listed before its parent went says nothing any more.
    const isListGone = list.failure?.kind === 'notFound';
    const snapshot = isListGone ? await list.since(context.clock.now()) : (known ?? (await list.since(sight.notBefore)));
    const listed = snapshot.items.get(id);
    if (listed !== undefined) {
      delete memory.missingSince;
      return { state: 'present', resource: listed, asOf: snapshot.begunAt };
    }
    const fresh = await list.since(context.clock.now());
    const relisted = fresh.items.get(id);
    if (relisted !== undefined) {
      delete memory.missingSince;
      return { state: 'present', resource: relisted, asOf: fresh.begunAt };
    }
    const missingSince = memory.missingSince ?? fresh.begunAt;
    memory.missingSince = missingSince;
    const isFarApart = fresh.begunAt - missingSince >= apartMs;
    const others = { kind: 'ReplicaSet', projectId: account.projectId, listed: fresh.listed, except: id, parentId } as const;
    const isProven = (await listIsComplete(others, context)) && isFarApart;
    const isDeleted = sight.object.metadata.deletionTimestamp === undefined || memory.notFoundOnDelete?.id === id;
    return isProven && isDeleted
      ? { state: 'absent' }
      : { state: 'missing', again: Math.max(missingSince + apartMs, context.clock.now() + lookAgainMs) };
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    if (error.kind !== 'notFound') return { state: 'unknown', error };
    const parent = await sightOfParent(account, parentId, context);
    return parent.state === 'present' ? { state: 'unknown', error } : parent;
  }
}

/** The list itself is not found: the replica set is gone exactly when its parent is proven to be. */
function sightOfParent(account: Account, parentId: ServiceId, context: Context): Promise<CloudSight<Service>> {
  return sightById({
    account,
    list: account.observer.services,
    id: parentId,
    get: () => account.api.getService(account.projectId, parentId),
    seenBefore: true,
    notBefore: context.clock.now(),
    now: () => context.clock.now(),
    isComplete: (listed) =>
      listIsComplete(
        {
          kind: 'ManagedService',
          projectId: account.projectId,
          listed,
          except: parentId,
          get: (other) => account.api.getService(account.projectId, serviceId.parse(other)),
        },
        context,
      ),
  });
}
