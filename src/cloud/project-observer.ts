import type { CloudApi } from './cloud-api.ts';
import type { Clock } from './clock.ts';
import { listPoller, type FedListPoller, type ListPoller } from './list-poller.ts';
import { replicaSetPollers } from './replica-set-pollers.ts';
import type { ProjectId, ServiceId, VpcId } from './wire/ids.ts';
import type { ReplicaSet } from './wire/replica-set.ts';
import type { Service } from './wire/service.ts';
import type { Peering, Vpc } from './wire/vpc.ts';

/** Everything in one project, as its lists show it. */
export interface ProjectObserver {
  readonly vpcs: ListPoller<Vpc>;
  readonly services: ListPoller<Service>;
  peerings(vpcId: VpcId): ListPoller<Peering>;
  /** From the services list where that carries the replica sets of this service, else by a LIST of its own. */
  replicaSets(serviceId: ServiceId): ListPoller<ReplicaSet>;
  stop(): void;
}

/** Ids that exist as far as others know: a list that lacks many of them is not believed. See plausible-list.ts. */
export interface KnownIds {
  readonly vpcs?: () => Iterable<string>;
  readonly services?: () => Iterable<string>;
  readonly peerings?: (vpcId: VpcId) => Iterable<string>;
  readonly replicaSets?: (serviceId: ServiceId) => Iterable<string>;
}

export interface ProjectObserverOptions {
  readonly api: CloudApi;
  readonly projectId: ProjectId;
  readonly clock: Clock;
  readonly random: () => number;
  readonly known?: KnownIds;
}

export function projectObserver({ api, projectId, clock, random, known }: ProjectObserverOptions): ProjectObserver {
  const peerings = new Map<VpcId, FedListPoller<Peering>>();
  const vpcs = listPoller<Vpc>({
    operation: 'listVpcs',
    list: async (signal) => {
      const list = await api.listVpcs(projectId, { signal });
      const present = new Set(list.map(({ id }) => id));
      for (const [id, poller] of peerings) if (!present.has(id) && !poller.inUse) peerings.delete(id);
      return list;
    },
    idOf: ({ id }) => id,
    clock,
    random,
    ...(known?.vpcs && { knownIds: known.vpcs }),
  });
  const ofServices = replicaSetPollers({ api, projectId, clock, random, known: known?.replicaSets, services: () => services });
  const services = listPoller<Service>({
    operation: 'listServices',
    list: async (signal) => {
      const begunAt = clock.now();
      const list = await api.listServices(projectId, { signal });
      ofServices.saw(list, begunAt);
      return list;
    },
    idOf: ({ service_id: id }) => id,
    isLeaving: ({ status }) => status === 'DELETING' || status === 'DELETED',
    clock,
    random,
    ...(known?.services && { knownIds: known.services }),
  });
  const peeringsOf = (vpcId: VpcId) => {
    const earlier = peerings.get(vpcId);
    if (earlier) return earlier;
    const knownIds = known?.peerings;
    const poller = listPoller<Peering>({
      operation: 'listPeerings',
      list: (signal) => api.listPeerings(projectId, vpcId, { signal }),
      idOf: ({ id }) => id,
      clock,
      random,
      ...(knownIds && { knownIds: () => knownIds(vpcId) }),
    });
    peerings.set(vpcId, poller);
    return poller;
  };
  return {
    vpcs,
    services,
    peerings: peeringsOf,
    replicaSets: (serviceId) => ofServices.of(serviceId),
    stop() {
      for (const poller of [vpcs, services, ...peerings.values()]) poller.stop();
      ofServices.stop();
    },
  };
}
