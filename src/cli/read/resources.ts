import { CloudError } from '../../cloud/cloud-error.ts';
import type { ProjectId } from '../../cloud/wire/account.ts';
import type { ReplicaSet } from '../../cloud/wire/replica-set.ts';
import type { Service } from '../../cloud/wire/service.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
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

export interface CloudContent {
  readonly resources: readonly Resource[];
  readonly projects: ReadonlySet<string>;
  readonly failures: readonly CloudError[];
}

export async function readProjects(keys: readonly LiveKey[]): Promise<CloudContent> {
  const projects = new Set<string>();
  const resources: Resource[] = [];
  const failures: CloudError[] = [];
  for (const key of keys) {
    try {
      const { id } = (await key.getCredentialsInfo()).apiKey.project;
      if (projects.has(id)) continue;
      resources.push(...(await readProject(key, id)));
      projects.add(id);
    } catch (error) {
      if (!(error instanceof CloudError)) throw error;
      failures.push(error);
    }
  }
  return { resources, projects, failures };
}

async function readProject(key: LiveKey, projectId: ProjectId): Promise<readonly Resource[]> {
  const project = key.project(projectId);
  const [vpcs, services] = await Promise.all([project.listVpcs(), readServices(project)]);
  const none = { parentId: undefined, state: undefined, created: undefined };
  return [
    ...vpcs.map(({ id, name, cidr: size }): Resource => ({ ...none, kind: 'ManagedVpc', projectId, id, name, size })),
    ...services.map(({ service_id: id, name, status: state, created, resources }): Resource => {
      return { ...none, kind: 'ManagedService', projectId, id, name, size: sizeOf(resources?.[0]?.spec), state, created };
    }),
    ...services.flatMap(({ service_id: parentId, replicaSets }) =>
      replicaSets.map((each): Resource => {
        const { id, name, status: state } = each;
        return { ...none, kind: 'ReplicaSet', projectId, id, parentId, name, size: sizeOf(each), state };
      }),
    ),
  ];
}

/** A cloud may leave out replica sets of its list of services. */
export async function readServices(
  project: ProjectReader,
): Promise<readonly (Service & { readonly replicaSets: readonly ReplicaSet[] })[]> {
  const services = await project.listServices();
  return Promise.all(
    services.map(async (service) => {
      const { service_id: id, read_replica_sets: sets } = service;
      return { ...service, replicaSets: sets ?? (await project.listReplicaSets(id)) };
    }),
  );
}

function sizeOf(amounts: { readonly cpu_millis?: number | undefined; readonly memory_gbs?: number | undefined } = {}): string | undefined {
  const { cpu_millis: cpuMillis, memory_gbs: memoryGbs } = amounts;
  return cpuMillis === undefined || memoryGbs === undefined ? undefined : sizeText({ cpuMillis, memoryGbs });
}
