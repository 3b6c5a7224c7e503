import type { CloudApi, CloudOperation, ProjectApi } from './cloud-api.ts';
import type { Clock } from './clock.ts';
import { listPoller, type FedListPoller, type ListPoller, type ListPollerOptions, type UntilStopped } from './list-poller.ts';
import { replicaSetPollers } from './replica-set-pollers.ts';
import { peeringId, type Peering } from './wire/peering.ts';
import { serviceId, type ServiceId, type Service } from './wire/service.ts';
import { vpcId, type VpcId, type Vpc } from './wire/vpc.ts';
import type { ProjectId } from './wire/account.ts';
import type { ReplicaSet } from './wire/replica-set.ts';

/** The lists of a project. Lists below a single resource are kept only while they are used. */
export interface ProjectLists {
  readonly vpcs: ListPoller<Vpc>;
  readonly services: ListPoller<Service>;
  peerings(vpcId: VpcId): ListPoller<Peering>;
  /** From the services list if it carries the service's replica sets, otherwise by an own LIST. */
  replicaSets(serviceId: ServiceId): ListPoller<ReplicaSet>;
}

/** All resources of a project, as its lists show them. */
export interface ProjectObserver extends ProjectLists {
  /** For each list with a listener, the policy time of its content. */
  asOf(): Iterable<readonly [list: CloudOperation, at: number]>;
  stop(): void;
}

/**
 * For each list, the ids that it should show by the claims of objects. A list that lacks many of them is not believed.
 * See absences.ts.
 */
export type KnownIds = {
  readonly [List in keyof ProjectLists]: ProjectLists[List] extends (parent: infer Parent) => unknown
    ? (parent: Parent) => Iterable<string>
    : () => Iterable<string>;
};

export interface ProjectObserverOptions {
  readonly api: CloudApi;
  readonly projectId: ProjectId;
  readonly clock: Clock;
  readonly random: () => number;
  readonly known?: KnownIds;
  readonly untilStopped?: UntilStopped;
}

export function projectObserver({ api, projectId, clock, random, known, untilStopped }: ProjectObserverOptions): ProjectObserver {
  const project = api.project(projectId);
  const peerings = new Map<VpcId, FedListPoller<Peering>>();
  const isSameProject = async () => (await api.getCredentialsInfo()).apiKey.project.id === projectId;
  const common = { clock, random, isSameProject, ...(untilStopped && { untilStopped }) };
  const flat = {
    vpcs: listPoller<Vpc>({
      ...common,
      operation: 'listVpcs',
      list: async (signal) => {
        const list = await project.listVpcs({ signal });
        for (const [id, poller] of peerings) if (!poller.inUse) peerings.delete(id);
        return list;
      },
      get: (id) => project.getVpc(vpcId.parse(id)),
      idOf: ({ id }) => id,
      knownIds: known?.vpcs,
    }),
    services: listPoller<Service>({
      ...common,
      operation: 'listServices',
      list: async (signal) => {
        const begunAt = clock.now();
        const list = await project.listServices({ signal });
        ofServices.saw(list, begunAt);
        return list;
      },
      get: (id) => project.getService(serviceId.parse(id)),
      idOf: ({ service_id: id }) => id,
      isLeaving: ({ status }) => status === 'DELETING' || status === 'DELETED',
      knownIds: known?.services,
    }),
  };
  const ofServices = replicaSetPollers({ ...common, project, known: known?.replicaSets, services: () => flat.services });
  const peeringsOf = (ofVpc: VpcId) => {
    const poller = peerings.get(ofVpc) ?? peeringPoller(project, ofVpc, { ...common, knownIds: known && (() => known.peerings(ofVpc)) });
    peerings.set(ofVpc, poller);
    return poller;
  };
  const pollers = () => [...Object.values(flat), ...peerings.values(), ...ofServices.all()];
  return {
    ...flat,
    peerings: peeringsOf,
    replicaSets: (ofService) => ofServices.of(ofService),
    *asOf() {
      for (const { operation, asOf } of pollers()) if (asOf !== undefined) yield [operation, asOf] as const;
    },
    stop() {
      for (const poller of pollers()) poller.stop();
    },
  };
}

function peeringPoller(
  project: ProjectApi,
  ofVpc: VpcId,
  options: Omit<ListPollerOptions<Peering>, 'operation' | 'list' | 'get' | 'idOf'>,
): FedListPoller<Peering> {
  return listPoller<Peering>({
    ...options,
    operation: 'listPeerings',
    list: (signal) => project.listPeerings(ofVpc, { signal }),
    get: (id) => project.getPeering(ofVpc, peeringId.parse(id)),
    idOf: ({ id }) => id,
  });
}
