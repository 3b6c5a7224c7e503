import type { Peering, Vpc } from '../cloud/wire/vpc.ts';
import type { ReplicaSet } from '../cloud/wire/replica-set.ts';
import type { Service } from '../cloud/wire/service.ts';
import type { Clock } from './clock.ts';
import { faultList, type FaultList } from './faults.ts';
import type { Timeline } from './timeline.ts';

/** The kinds of resources that {@link Project} has, those with states first. */
export const kinds = ['service', 'replicaSet', 'peering', 'vpc'] as const;
export type Kind = (typeof kinds)[number];

/** A resource that was created, whether it still exists or not. */
export interface Created {
  readonly kind: Kind;
  readonly id: string;
  readonly name: string | undefined;
  readonly parentId: string | undefined;
  /** RFC 3339. */
  readonly createdAt: string;
  deletedAt: string | undefined;
}

/** A service with the data that the API does not show. */
export interface StoredService {
  readonly timeline: Timeline<Service>;
  password: string;
}

/** One project of the cloud: its resources, its history and its faults. */
export interface Project {
  readonly id: string;
  readonly apiKey: string;
  readonly clock: Clock;
  /** Milliseconds that the cloud works on a change; 0: it is done at once. */
  latencyMs: number;
  /** Milliseconds that the cloud works on a deletion; undefined: as on a change. */
  deleteLatencyMs: number | undefined;
  /** Age of lists in milliseconds. */
  listLagMs: number;
  /** Whether services list their replica sets. */
  includeReplicaSets: boolean;
  /** Whether the reply to a create has the endpoint. Otherwise the endpoint comes with the first READY. */
  endpointAtOnce: boolean;
  readonly vpcs: Map<string, Timeline<Vpc>>;
  readonly peerings: Map<string, { readonly vpcId: string; readonly timeline: Timeline<Peering> }>;
  readonly services: Map<string, StoredService>;
  readonly replicaSets: Map<string, { readonly serviceId: string; readonly timeline: Timeline<ReplicaSet> }>;
  readonly everCreated: Created[];
  /** Requests that arrived (`calls`) and changes that were carried out (`commits`), by operation. */
  readonly calls: Map<string, number>;
  readonly commits: Map<string, number>;
  readonly faults: FaultList;
}

export type ProjectOptions = Pick<
  Project,
  'id' | 'apiKey' | 'clock' | 'latencyMs' | 'deleteLatencyMs' | 'listLagMs' | 'includeReplicaSets' | 'endpointAtOnce'
>;

export function project(options: ProjectOptions): Project {
  return {
    ...options,
    vpcs: new Map(),
    peerings: new Map(),
    services: new Map(),
    replicaSets: new Map(),
    everCreated: [],
    calls: new Map(),
    commits: new Map(),
    faults: faultList(),
  };
}

export function remember(owner: Project, kind: Kind, id: string, name: string | undefined, parentId?: string): void {
  const createdAt = new Date(owner.clock.now()).toISOString();
  owner.everCreated.push({ kind, id, name, parentId, createdAt, deletedAt: undefined });
}

/** All resources of a kind that existed at a time. */
export function present<T>(timelines: Iterable<{ readonly timeline: Timeline<T> }>, time: number): readonly T[] {
  return [...timelines].map(({ timeline }) => timeline.at(time)).filter((value) => value !== undefined);
}

/** The replica sets of a service at a time. */
export function replicaSetsOf({ replicaSets }: Project, serviceId: string | undefined, time: number): readonly ReplicaSet[] {
  return present(
    [...replicaSets.values()].filter((set) => set.serviceId === serviceId),
    time,
  );
}

/** Milliseconds that the cloud works on a deletion that begins now. */
export function deletionMs({ deleteLatencyMs, latencyMs }: Project): number {
  return deleteLatencyMs ?? latencyMs;
}

export function empty(owner: Project): void {
  for (const each of [owner.vpcs, owner.peerings, owner.services, owner.replicaSets, owner.calls, owner.commits]) each.clear();
  owner.everCreated.length = 0;
  owner.faults.clear();
}
