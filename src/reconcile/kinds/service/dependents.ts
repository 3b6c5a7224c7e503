import { recordOf } from '../../ledger/entry.ts';
import { CloudError, orCloudError } from '../../../cloud/cloud-error.ts';
import type { ListPoller, Snapshot } from '../../../cloud/list-poller.ts';
import { serviceId, type Service, type ServiceId } from '../../../cloud/wire/service.ts';
import type { ReplicaSet } from '../../../cloud/wire/replica-set.ts';
import type { View } from '../../wiring/context.ts';
import type { Account } from '../../credentials/accounts.ts';
import type { ListedDependent } from '../../observe/observe-phase.ts';
import type { ObservedObject } from '../../observe/observe-object.ts';
import { isAfterReady } from './fields.ts';

/**
 * Replica sets of this service, forks that the cloud is still copying from it, creates of either without an
 * answer, and objects that are yet to become a fork of it. Undefined if the lists cannot show them.
 * @param isGone the cloud no longer shows the service. It may be wrong: dependents that it shows still count,
 * and a fork that it does not show was never READY
 */
export async function serviceDependents(
  { usable: account, record }: Pick<ObservedObject, 'usable' | 'record'>,
  isGone: boolean,
  view: Known,
  notBefore: number,
): Promise<readonly ListedDependent[] | undefined> {
  if (!account || record.id === undefined) return undefined;
  const id = serviceId.parse(record.id);
  const { observer, projectId } = account;
  const { claims } = view;
  // An answer may come while lists are read: then the create is open no more, and the lists do not have its resource yet.
  const atFirst = claims.holdersOf(id);
  const services = await observer.services.since(notBefore);
  // A list without an existing service proves nothing about its dependents.
  if (!isGone && !services.listed.has(id)) return undefined;
  const forks = await unfinishedForks(id, { services, isGone }, account, view);
  if (!forks) return undefined;
  const list = observer.replicaSets(id);
  const { sets, isWhole } = await replicaSetsIn(list, notBefore, isGone);
  const shown = new Set([...services.items.keys(), ...sets, ...forks]);
  // A list may already show the result of an open create: the message then counts it twice for a while.
  const unshown = [...atFirst, ...claims.holdersOf(id)].filter(
    (each) => each.attempt || each.id === undefined || !shown.has(each.id),
  );
  const holders = new Map(unshown.map((holder) => [holder.uid, holder]));
  const setWords = { noun: 'replica set', list };
  const forkWords = {
    noun: 'unfinished fork',
    list: observer.services,
    remedy: 'wait until it was READY, or delete it',
  };
  const held = [
    ...sets.map((set) => ({
      ...setWords,
      id: set,
      owner: claims.ownerOf('ReplicaSet', projectId, set),
    })),
    // A fork is independent as soon as the cloud has copied it.
    ...forks.map((fork) => ({
      ...forkWords,
      id: fork,
      owner: claims.ownerOf('ManagedService', projectId, fork),
      endsByItself: true,
    })),
    // The cloud may have made these already, and no list shows them yet, or their request is still to come.
    ...[...holders.values()].map((owner) => ({
      ...(owner.kind === 'ReplicaSet' ? setWords : forkWords),
      id: '',
      owner,
    })),
  ];
  return held.length === 0 && !isWhole ? undefined : held;
}

type Known = Pick<View, 'claims' | 'caches'>;

/** Undefined if the list lacks services that may be forks. Other missing services do not matter: the cloud may not explain them for long. */
async function unfinishedForks(
  source: ServiceId,
  { services, isGone }: { readonly services: Snapshot<Service>; readonly isGone: boolean },
  { observer, projectId }: Account,
  { claims, caches }: Known,
): Promise<readonly string[] | undefined> {
  const objectOf = (id: string) => {
    const owner = claims.ownerOf('ManagedService', projectId, id);
    return owner && caches.of('ManagedService').get(owner.key);
  };
  // A fork that was READY once is independent in any state. A list may omit the origin, which never changes.
  // A service whose origin could not be read may be a fork of any service.
  const isFork = (id: string, shownOrigin?: string, isOriginUnread = false) => {
    const object = objectOf(id);
    const wasReady = object?.status?.id === id && object.status.wasReady === true;
    const origin = shownOrigin ?? (object && recordOf(object, caches).forkSourceId);
    return (
      !wasReady && (origin === source || (origin === undefined && isOriginUnread && id !== source))
    );
  };
  const mayBeFork = (id: string) => objectOf(id) === undefined || isFork(id);
  if ((await observer.services.unexplained(services, mayBeFork)).length > 0) return undefined;
  const shown = [...services.items].filter(
    ([id, { forked_from: origin, status, unreadable }]) =>
      !isAfterReady(status) &&
      isFork(id, origin?.service_id, unreadable?.fields.includes('forked_from')),
  );
  const objects = isGone ? [...caches.of('ManagedService').values()] : [];
  const recorded = new Set(objects.flatMap((object) => recordOf(object, caches).id ?? []));
  const unseen = [...recorded].filter((id) => !services.items.has(id) && isFork(id));
  return [...shown.map(([id]) => id), ...unseen];
}

/** A service that is gone has no list, and no replica sets. */
async function replicaSetsIn(
  list: ListPoller<ReplicaSet>,
  notBefore: number,
  isGone: boolean,
): Promise<{ readonly sets: readonly string[]; readonly isWhole: boolean }> {
  const listed = await orCloudError(list.since(notBefore));
  if (!(listed instanceof CloudError))
    return {
      sets: [...listed.items.keys()],
      isWhole: (await list.unexplained(listed)).length === 0,
    };
  if (isGone && listed.kind === 'notFound') return { sets: [], isWhole: true };
  throw listed;
}
