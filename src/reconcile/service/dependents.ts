import { CloudError } from '../../cloud/cloud-error.ts';
import { serviceId } from '../../cloud/wire/ids.ts';
import type { Account } from '../account.ts';
import type { Context } from '../context.ts';
import type { ObjectSight } from '../observe/observe-object.ts';
import type { Dependent } from '../situation.ts';
import { isAfterReady } from './state.ts';

/** What holds a deletion is looked at anew each time, calls of the same moment aside. */
const freshMs = 2_000;
/** Replica sets of this service, and forks that the cloud still copies from it. An error when they could not be read. */
export async function serviceDependents(sight: ObjectSight, context: Context): Promise<readonly Dependent[] | CloudError | undefined> {
  const account = sight.usable;
  if (!account || sight.identity.state !== 'known') return undefined;
  const id = serviceId.parse(sight.identity.id);
  const standsFor = (kind: 'ReplicaSet' | 'ManagedService', dependent: string) => {
    const owner = context.claims.ownerOf(kind, account.projectId, dependent);
    return owner && `${owner.kind} ${owner.key}`;
  };
  try {
    const { items: services, listed } = await account.observer.services.since(context.clock.now() - freshMs);
    const forks = [...services.values()].filter(
      ({ forked_from: origin, status, service_id: fork = '' }) =>
        origin?.service_id === id && !isAfterReady(status) && !wasReady(fork, account, context),
    );
    // A list without the service itself tells nothing of what hangs on it.
    if (!listed.has(id)) return undefined;
    const { items: replicaSets } = await account.observer.replicaSets(id).since(context.clock.now() - freshMs);
    return [
      ...[...replicaSets.keys()].map((dependent) => ({ noun: 'replica set', id: dependent, object: standsFor('ReplicaSet', dependent) })),
      ...forks.map(({ service_id: fork = '' }) => ({ noun: 'unfinished fork', id: fork, object: standsFor('ManagedService', fork) })),
    ];
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    return error.kind === 'notFound' ? [] : error;
  }
}

/** A fork that was READY once is a service of its own, whatever it is configured to now. Its object knows. */
function wasReady(id: string, { projectId }: Account, { claims, caches }: Context): boolean {
  const owner = claims.ownerOf('ManagedService', projectId, id);
  const status = owner && caches.services.get(owner.key)?.status;
  return status?.id === id && status.wasReady === true;
}
