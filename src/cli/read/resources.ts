import { CloudError } from '../../cloud/cloud-error.ts';
import type { ProjectId } from '../../cloud/wire/account.ts';
import type { ReplicaSet } from '../../cloud/wire/replica-set.ts';
import type { Service } from '../../cloud/wire/service.ts';
import { kinds, type Kind, type ManagedObject } from '../../resources/managed-object.ts';
import { sizeText } from '../../reconcile/kinds/fields.ts';
import { resourceKey } from '../../runtime/index.ts';
import type { ClusterReader } from '../copy/cluster-copy.ts';
import type { LiveKey, ProjectReader } from '../copy/cloud-copy.ts';
import type { Resource } from '../inventory/inventory.ts';
import { readKey } from './settings.ts';

/** The API keys of the operator, and of the Secrets that objects name. A missing Secret is left out. */
export async function keysOf(
  cluster: ClusterReader,
  objects: readonly ManagedObject[],
  ownKey: string | undefined,
): Promise<readonly string[]> {
  const places = objects.flatMap(({ metadata, spec }) =>
    spec.credentialsRef ? [resourceKey(metadata.namespace, spec.credentialsRef.name)] : [],
  );
  const keys = await Promise.all([...new Set(places)].map((place) => readKey(cluster, place)));
  return [...new Set([ownKey, ...keys].flatMap((key) => key ?? []))];
}

/** Resources that could not be read from the cloud. */
export interface Unread {
  /** The resources, such as `VPCs` or `service svc-1`. */
  readonly what: string;
  /** Such as `the cloud: listVpcs: server (503)`. */
  readonly why: string;
}

export function unreadText({ what, why }: Unread): string {
  return `${what}: ${why}`;
}

/** Waits for a read. A failure of the cloud is noted, and other reads continue. @returns undefined after a failure */
export async function orUnread<T>(
  what: string,
  read: Promise<T>,
  unread: Unread[],
): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    unread.push({ what, why: `the cloud: ${error.message}` });
    return undefined;
  }
}

export interface CloudContent {
  readonly resources: readonly Resource[];
  /** The projects that were read as a whole. */
  readonly projects: ReadonlySet<string>;
  readonly unread: readonly Unread[];
}

export async function readProjects(keys: readonly LiveKey[]): Promise<CloudContent> {
  const read = new Map<string, readonly Unread[]>();
  const resources: Resource[] = [];
  const keysUnread: Unread[] = [];
  for (const key of keys) {
    const id = (await orUnread('resources of a key', key.getCredentialsInfo(), keysUnread))?.apiKey
      .project.id;
    if (id === undefined || read.has(id)) continue;
    const unread: Unread[] = [];
    resources.push(...(await readProject(key, id, unread)));
    read.set(id, unread);
  }
  const projects = new Set([...read].flatMap(([id, unread]) => (unread.length === 0 ? [id] : [])));
  return { resources, projects, unread: [...keysUnread, ...[...read.values()].flat()] };
}

async function readProject(
  key: LiveKey,
  projectId: ProjectId,
  unread: Unread[],
): Promise<readonly Resource[]> {
  const project = key.project(projectId);
  const [vpcs = [], services] = await Promise.all([
    orUnread(`VPCs of project ${projectId}`, project.listVpcs(), unread),
    readServices(project, unread),
  ]);
  const none = { projectId, parentId: undefined, state: undefined, created: undefined };
  const read: Readonly<Record<Kind, readonly Omit<Resource, 'kind'>[]>> = {
    ManagedVpc: vpcs.map(({ id, name, cidr: size }) => ({ ...none, id, name, size })),
    ManagedService: services.map(({ service_id: id, name, status: state, created, resources }) => {
      return { ...none, id, name, size: sizeOf(resources?.[0]?.spec), state, created };
    }),
    ReplicaSet: services.flatMap(({ service_id: parentId, replicaSets }) =>
      replicaSets.map((each) => {
        const { id, name, status: state } = each;
        return { ...none, id, parentId, name, size: sizeOf(each), state };
      }),
    ),
  };
  return kinds.flatMap((kind) => read[kind].map((each): Resource => ({ kind, ...each })));
}

/** A cloud may leave out replica sets of its list of services. @param unread gets the reads that failed */
export async function readServices(
  project: ProjectReader,
  unread: Unread[],
): Promise<readonly (Service & { readonly replicaSets: readonly ReplicaSet[] })[]> {
  const services = (await orUnread('services', project.listServices(), unread)) ?? [];
  return Promise.all(
    services.map(async (service) => {
      const { service_id: id, read_replica_sets: sets } = service;
      const listed =
        sets ??
        (await orUnread(`replica sets of service ${id}`, project.listReplicaSets(id), unread));
      return { ...service, replicaSets: listed ?? [] };
    }),
  );
}

function sizeOf(
  amounts: {
    readonly cpu_millis?: number | undefined;
    readonly memory_gbs?: number | undefined;
  } = {},
): string | undefined {
  const { cpu_millis: cpuMillis, memory_gbs: memoryGbs } = amounts;
  return cpuMillis === undefined || memoryGbs === undefined
    ? undefined
    : sizeText({ cpuMillis, memoryGbs });
}
