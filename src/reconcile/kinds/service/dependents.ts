import { serviceId } from '../../../cloud/wire/ids.ts';
import type { Account } from '../../credentials/account.ts';
import type { View } from '../../process/context.ts';
import type { LookForDependents } from '../../observe/observe-deletion.ts';
import type { ObservedObject } from '../../observe/observe-object.ts';
import { unlessNotFound } from '../../observe/observe-by-id.ts';
import { recordIn } from '../../record/record.ts';
import { isAfterReady } from './mirror.ts';

/** Replica sets of this service, and forks that the cloud is still copying from it. */
export function serviceDependents({ usable: account, identity }: ObservedObject, context: View): LookForDependents {
  return async (notBefore) => {
    if (!account || identity.state !== 'known') return undefined;
    const id = serviceId.parse(identity.id);
    const { observer, projectId } = account;
    const services = await observer.services.since(notBefore);
    // A list without the service itself proves nothing about its dependents.
    if (!services.listed.has(id)) return undefined;
    // Nor does a list without services that may be forks of it. Other missing services are no reason to wait: the cloud may fail to explain them for long.
    const mayBeFork = (other: string) => isForkOf(id, other, account, context);
    if ((await observer.services.unexplained(services, mayBeFork)).length > 0) return undefined;
    const forks = [...services.items.values()].filter(
      ({ forked_from: origin, status, service_id: fork = '' }) =>
        origin?.service_id === id && !isAfterReady(status) && !wasReady(fork, account, context),
    );
    const list = observer.replicaSets(id);
    const sets = await unlessNotFound(list.since(notBefore));
    // The replica sets were answered with 404 although the services list showed the service just now. If it is gone, the next list shows so.
    if (!sets || (await list.unexplained(sets)).length > 0) return undefined;
    return [
      ...[...sets.items.keys()].map((set) => ({
        noun: 'replica set',
        id: set,
        list,
        owner: context.claims.ownerOf('ReplicaSet', projectId, set),
      })),
      ...forks.map(({ service_id: fork = '' }) => ({
        noun: 'unfinished fork',
        id: fork,
        list: observer.services,
        owner: context.claims.ownerOf('ManagedService', projectId, fork),
      })),
    ];
  };
}

/** Whether a service that a list lacks may be an unfinished fork of this one, according to its object. Without an object, it may be. */
function isForkOf(origin: string, id: string, account: Account, context: View): boolean {
  const owner = context.claims.ownerOf('ManagedService', account.projectId, id);
  const object = owner && context.caches.of('ManagedService').get(owner.key);
  return object === undefined || (recordIn(object).forkSourceId === origin && !wasReady(id, account, context));
}

/** Whether a fork was READY once, according to its object. Such a fork is independent, whatever its present state. */
function wasReady(id: string, { projectId }: Account, { claims, caches }: View): boolean {
  const owner = claims.ownerOf('ManagedService', projectId, id);
  const status = owner && caches.of('ManagedService').get(owner.key)?.status;
  return status?.id === id && status.wasReady === true;
}
