import type { Clock } from './clock.ts';
import type { CallOptions, CloudApi, CloudOperation, ProjectApi } from './cloud-api.ts';
import { CloudError } from './cloud-error.ts';
import type { ListPoller, ListPollerOptions, UntilStopped } from './list-poller.ts';
import { Poller } from './poller.ts';
import type { ProjectId } from './wire/account.ts';
import type { PartlyRead } from './wire/field.ts';
import { type Peering, peeringId } from './wire/peering.ts';
import type { ReplicaSet } from './wire/replica-set.ts';
import { type Service, serviceId, type ServiceId } from './wire/service.ts';
import { type Vpc, vpcId, type VpcId } from './wire/vpc.ts';

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

/** For each list, the ids that it should show by the claims of objects. A list that lacks many of them is not believed. */
interface KnownIds extends Record<'vpcs' | 'services', () => Iterable<string>> {
  readonly peerings: (vpcId: VpcId) => Iterable<string>;
  readonly replicaSets: (serviceId: ServiceId) => Iterable<string>;
}

interface ProjectObserverOptions {
  readonly api: CloudApi;
  readonly projectId: ProjectId;
  readonly clock: Clock;
  readonly random: () => number;
  readonly known?: KnownIds;
  readonly untilStopped?: UntilStopped;
}

const unreadableIn = ({ unreadable }: PartlyRead) => unreadable;

/**
 * Makes the pollers of a project. A poller sends no request before a caller listens, waits or
 * expects progress.
 */
export function projectObserver({
  api,
  projectId,
  clock,
  random,
  known,
  untilStopped,
}: ProjectObserverOptions): ProjectObserver {
  const project = api.project(projectId);
  const peerings = new Map<VpcId, Poller<Peering>>();
  const isSameProject = async () =>
    (await api.getCredentialsInfo()).apiKey.project.id === projectId;
  const common = {
    clock,
    random,
    isSameProject,
    unreadableIn,
    ...(untilStopped && { untilStopped }),
  };
  const flat = {
    vpcs: new Poller<Vpc>({
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
    services: new Poller<Service>({
      ...common,
      operation: 'listServices',
      list: async (signal) => {
        const begunAt = clock.now();
        const list = (await project.listServices({ signal })).filter(
          (service) => !isDeleted(service),
        );
        ofServices.saw(list, begunAt);
        return list;
      },
      get: (id) => getService(project, serviceId.parse(id)),
      idOf: ({ service_id: id }) => id,
      isLeaving: ({ status }) => status === 'DELETING',
      knownIds: known?.services,
    }),
  };
  const ofServices = replicaSetPollers(common, project, () => flat.services, known?.replicaSets);
  const peeringsOf = (ofVpc: VpcId) => {
    const poller =
      peerings.get(ofVpc) ??
      new Poller<Peering>({
        ...common,
        operation: 'listPeerings',
        list: (signal) => project.listPeerings(ofVpc, { signal }),
        get: (id) => project.getPeering(ofVpc, peeringId.parse(id)),
        idOf: ({ id }) => id,
        knownIds: known && (() => known.peerings(ofVpc)),
      });
    peerings.set(ofVpc, poller);
    return poller;
  };
  const pollers = () => [...Object.values(flat), ...peerings.values(), ...ofServices.all()];
  return {
    ...flat,
    peerings: peeringsOf,
    replicaSets: (ofService) => ofServices.of(ofService),
    *asOf() {
      for (const { operation, asOf } of pollers())
        if (asOf !== undefined) yield [operation, asOf] as const;
    },
    stop() {
      for (const poller of pollers()) poller.stop();
    },
  };
}

/** The cloud may show a service for a while after it was deleted. */
function isDeleted({ status }: Service): boolean {
  return status === 'DELETED';
}

/**
 * Reads a service.
 * @throws {CloudError} also kind `notFound`, for a service in state DELETED: lists and GETs agree
 *   that it is gone
 */
export async function getService(
  project: ProjectApi,
  id: ServiceId,
  options?: CallOptions,
): Promise<Service> {
  const service = await project.getService(id, options);
  if (isDeleted(service))
    throw new CloudError({
      operation: 'getService',
      kind: 'notFound',
      status: 404,
      sent: true,
      fromApi: true,
    });
  return service;
}

/**
 * The replica sets of each service. A services list that carries them feeds the pollers. A poll that is due requests
 * that list, which serves all services at once. If the list lacks the replica sets of a service, they are listed for
 * that service alone. The next services list drops an unused poller.
 */
function replicaSetPollers(
  common: Pick<
    ListPollerOptions<ReplicaSet>,
    'clock' | 'random' | 'isSameProject' | 'unreadableIn' | 'untilStopped'
  >,
  project: ProjectApi,
  services: () => ListPoller<Service>,
  known: KnownIds['replicaSets'] | undefined,
) {
  const pollers = new Map<ServiceId, Poller<ReplicaSet>>();
  /** From the last services list. Undefined sets are unknown sets, not none. */
  let carried:
    | {
        readonly begunAt: number;
        readonly of: ReadonlyMap<ServiceId, readonly ReplicaSet[] | undefined>;
      }
    | undefined;

  const list = async (
    ofService: ServiceId,
    signal: AbortSignal,
  ): Promise<readonly ReplicaSet[]> => {
    const begunAt = common.clock.now();
    if (!carried || carried.of.get(ofService)) {
      await services().since(begunAt);
      const sets = carried?.of.get(ofService);
      if (sets && carried && carried.begunAt >= begunAt) return sets;
    }
    return project.listReplicaSets(ofService, { signal });
  };
  const pollerOf = (ofService: ServiceId): ListPoller<ReplicaSet> => {
    const earlier = pollers.get(ofService);
    if (earlier) return earlier;
    const poller = new Poller<ReplicaSet>({
      ...common,
      operation: 'listReplicaSets',
      list: (signal) => list(ofService, signal),
      idOf: ({ id }) => id,
      isLeaving: ({ status }) => status === 'deleting',
      knownIds: known && (() => known(ofService)),
    });
    pollers.set(ofService, poller);
    const sets = carried?.of.get(ofService);
    if (carried && sets) poller.feed(sets, carried.begunAt);
    return poller;
  };

  return {
    of: pollerOf,
    all: () => pollers.values(),
    /** Takes in a list of all services. */
    saw(all: readonly Service[], begunAt: number) {
      const setsOf = new Map(all.map(({ service_id: id, read_replica_sets: sets }) => [id, sets]));
      carried = { begunAt, of: setsOf };
      for (const [id, poller] of pollers) {
        const sets = setsOf.get(id);
        if (!poller.inUse) pollers.delete(id);
        else if (sets) poller.feed(sets, begunAt);
      }
    },
  };
}
