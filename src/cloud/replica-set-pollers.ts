import type { ProjectApi } from './cloud-api.ts';
import type { Clock } from './clock.ts';
import { listPoller, type FedListPoller, type ListPoller, type UntilStopped } from './list-poller.ts';
import type { ServiceId, Service } from './wire/service.ts';
import type { ReplicaSet } from './wire/replica-set.ts';

/** The replica sets of a service in the last services list. Undefined sets are unknown sets, not none. */
interface Carried {
  readonly sets: readonly ReplicaSet[] | undefined;
  readonly begunAt: number;
}

export interface ReplicaSetPollersOptions {
  readonly project: ProjectApi;
  readonly clock: Clock;
  readonly random: () => number;
  readonly isSameProject: () => Promise<boolean>;
  readonly untilStopped?: UntilStopped;
  readonly known: ((serviceId: ServiceId) => Iterable<string>) | undefined;
  readonly services: () => ListPoller<Service>;
}

export interface ReplicaSetPollers {
  of(serviceId: ServiceId): ListPoller<ReplicaSet>;
  all(): Iterable<FedListPoller<ReplicaSet>>;
  /** Takes in a list of all services. */
  saw(services: readonly Service[], begunAt: number): void;
}

/**
 * The replica sets of each service. A services list that carries them feeds the pollers. A poll that is due requests
 * that list, which serves all services at once. If the list lacks the replica sets of a service, they are listed for
 * that service alone. The next services list drops an unused poller.
 */
export function replicaSetPollers({ project, known, services, ...common }: ReplicaSetPollersOptions): ReplicaSetPollers {
  const pollers = new Map<ServiceId, FedListPoller<ReplicaSet>>();
  let carried: ReadonlyMap<ServiceId, Carried> | undefined;

  const list = async (serviceId: ServiceId, signal: AbortSignal): Promise<readonly ReplicaSet[]> => {
    const begunAt = common.clock.now();
    if (!carried || carried.get(serviceId)?.sets) {
      await services().since(begunAt, signal);
      const said = carried?.get(serviceId);
      if (said?.sets && said.begunAt >= begunAt) return said.sets;
    }
    return project.listReplicaSets(serviceId, { signal });
  };
  const pollerOf = (serviceId: ServiceId) => {
    const earlier = pollers.get(serviceId);
    if (earlier) return earlier;
    const poller = listPoller<ReplicaSet>({
      ...common,
      operation: 'listReplicaSets',
      list: (signal) => list(serviceId, signal),
      idOf: ({ id }) => id,
      isLeaving: ({ status }) => status === 'deleting',
      knownIds: known && (() => known(serviceId)),
    });
    pollers.set(serviceId, poller);
    const said = carried?.get(serviceId);
    if (said?.sets) poller.feed(said.sets, said.begunAt);
    return poller;
  };

  return {
    of: pollerOf,
    all: () => pollers.values(),
    saw(all, begunAt) {
      const now = new Map<ServiceId, Carried>();
      for (const { service_id: id, read_replica_sets: sets } of all) now.set(id, { sets, begunAt });
      carried = now;
      for (const [id, poller] of pollers) {
        const sets = now.get(id)?.sets;
        if (!poller.inUse) pollers.delete(id);
        else if (sets) poller.feed(sets, begunAt);
      }
    },
  };
}
