import { recordOf } from '../../record/record.ts';
import { CloudError, orCloudError } from '../../../cloud/cloud-error.ts';
import type { ListPoller } from '../../../cloud/list-poller.ts';
import { serviceId, type Service } from '../../../cloud/wire/service.ts';
import type { ReplicaSet } from '../../../cloud/wire/replica-set.ts';
import type { ManagedService } from '../../../resources/managed-service.ts';
import type { View } from '../../process/context.ts';
import type { Dependent } from '../../situation/situation.ts';
import type { ObservedObject } from '../../observe/observe-object.ts';
import { attemptName } from '../../record/attempt.ts';
import type { Holder } from '../../process/claims.ts';
import { isAfterReady } from './fields.ts';

/**
 * Replica sets of this service, forks that the cloud is still copying from it, and creates of either without an
 * answer.
 * @param isGone the cloud no longer shows the service. It may be wrong: dependents that it shows still count,
 * and a fork that it does not show was never READY
 */
export async function serviceDependents(
  { usable: account, identity }: ObservedObject,
  isGone: boolean,
  { claims, caches }: View,
  notBefore: number,
): Promise<readonly Dependent[] | undefined> {
  if (!account || identity.state !== 'known') return undefined;
  const id = serviceId.parse(identity.id);
  const { observer, projectId } = account;
  const openCreates = () => claims.openCreatesOn(id);
  // An answer may come while lists are read: then the create is open no more, and the lists do not have its resource yet.
  const openAtFirst = openCreates();
  const services = await observer.services.since(notBefore);
  // A list without an existing service proves nothing about its dependents.
  if (!isGone && !services.listed.has(id)) return undefined;
  const objectOf = (other: string) => {
    const owner = claims.ownerOf('ManagedService', projectId, other);
    return owner && caches.of('ManagedService').get(owner.key);
  };
  const originOf = (object: ManagedService | undefined) => object && recordOf(object, caches).forkSourceId;
  // Nor does a list without services that may be forks of it. Other missing services are no reason to wait:
  // the cloud may not explain them for long.
  const mayBeFork = (other: string) => {
    const object = objectOf(other);
    return object === undefined || isUnfinishedFork(id, other, object, originOf(object));
  };
  // A part that is missing from a list is unchanged: the origin, too.
  const isFork = ({ forked_from: origin, status, service_id: fork }: Service) =>
    !isAfterReady(status) && isUnfinishedFork(id, fork, objectOf(fork), origin?.service_id ?? originOf(objectOf(fork)));
  if ((await observer.services.unexplained(services, mayBeFork)).length > 0) return undefined;
  const forks = [...services.items.values()].filter(isFork);
  const objects = isGone ? [...caches.of('ManagedService').values()] : [];
  const ids = objects.flatMap((object) => recordOf(object, caches).id ?? []);
  const unseen = [...new Set(ids)].filter(
    (fork) => !services.items.has(fork) && isUnfinishedFork(id, fork, objectOf(fork), originOf(objectOf(fork))),
  );
  const list = observer.replicaSets(id);
  const { sets, missing } = await replicaSetsIn(list, notBefore, isGone);
  const listed = new Set([...services.items.keys(), ...sets.map((set) => set.id)]);
  const open = unlisted([...openAtFirst, ...openCreates()], listed);
  // The lists may already show the result of an open create: both are the same part.
  const attempts = open.flatMap(({ attempt }) => attempt ?? []);
  const names = new Set<string | undefined>(attempts.map(attemptName));
  const held = [
    ...sets
      .filter(({ name }) => !names.has(name))
      .map(({ id: set }) => ({ noun: 'replica set', id: set, list, owner: claims.ownerOf('ReplicaSet', projectId, set) })),
    ...[...forks.filter(({ name }) => !names.has(name)).map(({ service_id: fork }) => fork), ...unseen].map((fork) => ({
      noun: 'unfinished fork',
      id: fork,
      list: observer.services,
      owner: claims.ownerOf('ManagedService', projectId, fork),
      endsByItself: true, // as soon as the cloud has copied it
    })),
    // The cloud may have made these already, and no list shows them yet.
    ...open.map((owner) => ({
      noun: owner.kind === 'ReplicaSet' ? 'replica set' : 'unfinished fork',
      id: '',
      list: owner.kind === 'ReplicaSet' ? list : observer.services,
      owner,
    })),
  ];
  return held.length === 0 && missing.length > 0 ? undefined : held;
}

/** Each holder once, except holders whose resource is listed: the lists say more about these. */
function unlisted(holders: readonly Holder[], listed: ReadonlySet<string>): readonly Holder[] {
  const found = holders.filter(({ attempt, id = '' }) => attempt || !listed.has(id));
  return [...new Map(found.map((holder) => [holder.uid, holder])).values()];
}

/**
 * A service that is gone has no list, and no replica sets: any answer of the API that refuses the request
 * itself proves that. Missing rights, or a missing answer, prove nothing.
 */
async function replicaSetsIn(list: ListPoller<ReplicaSet>, notBefore: number, isGone: boolean) {
  const listed = await orCloudError(list.since(notBefore));
  if (!(listed instanceof CloudError)) {
    return { sets: [...listed.items.values()], missing: await list.unexplained(listed) };
  }
  if (isGone && saysNoList(listed)) return { sets: [], missing: [] };
  throw listed;
}

export function saysNoList({ kind, fromApi }: CloudError): boolean {
  return kind === 'notFound' || (fromApi && (kind === 'invalid' || kind === 'conflict'));
}

/**
 * Whether a service is a fork of this service that was never READY: by its origin in the cloud, or by its
 * object. A fork that was READY once is independent in any state.
 */
function isUnfinishedFork(source: string, id: string, object: ManagedService | undefined, origin: string | undefined): boolean {
  const wasReady = object?.status?.id === id && object.status.wasReady === true;
  return origin === source && !wasReady;
}
