import { CloudError } from '../../cloud/cloud-error.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { secretsWithData } from '../../resources/connection-secret.ts';
import { resourceKey } from '../../runtime/index.ts';
import type { ClusterReader } from '../copy/cluster-copy.ts';
import type { LiveKey } from '../copy/cloud-copy.ts';
import type { Resource } from '../inventory/inventory.ts';

/** The API keys that the operator uses: its own, and those in the Secrets that objects name. A Secret that is missing is left out. */
export async function keysOf(
  cluster: ClusterReader,
  objects: readonly ManagedObject[],
  ownKey: string | undefined,
): Promise<readonly string[]> {
  const places = objects.flatMap(({ metadata, spec }) =>
    spec.credentialsRef ? [resourceKey(metadata.namespace, spec.credentialsRef.name)] : [],
  );
  const secrets = await Promise.all([...new Set(places)].map((place) => cluster.get(secretsWithData, place)));
  const keys = [ownKey, ...secrets.map((secret) => secret?.data['apiKey']?.trim())];
  return [...new Set(keys.flatMap((key) => key || []))];
}

/** Everything in the projects of some keys. */
export interface CloudContent {
  readonly resources: readonly Resource[];
  readonly projects: ReadonlySet<string>;
  /** The keys that the cloud refused, or could not answer. */
  readonly failures: readonly CloudError[];
}

/** Reads the projects of all keys, each once. */
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

async function readProject(key: LiveKey, projectId: Parameters<LiveKey['project']>[0]): Promise<readonly Resource[]> {
  const project = key.project(projectId);
  const [vpcs, services] = await Promise.all([project.listVpcs(), project.listServices()]);
  const replicaSets = await Promise.all(
    services.map(async ({ service_id: parentId, read_replica_sets: sets }) => {
      const own = sets ?? (await project.listReplicaSets(parentId));
      return own.map((each) => ({ ...each, parentId }));
    }),
  );
  const none = { parentId: undefined, state: undefined, created: undefined };
  return [
    ...vpcs.map(({ id, name, cidr: size }): Resource => ({ ...none, kind: 'ManagedVpc', projectId, id, name, size })),
    ...services.map(({ service_id: id, name, status: state, created, resources }): Resource => {
      const { cpu_millis: cpuMillis, memory_gbs: memoryGbs } = resources?.[0]?.spec ?? {};
      return { ...none, kind: 'ManagedService', projectId, id, name, size: sizeOf(cpuMillis, memoryGbs), state, created };
    }),
    ...replicaSets.flat().map(({ id, parentId, name, status: state, cpu_millis: cpuMillis, memory_gbs: memoryGbs }): Resource => {
      return { kind: 'ReplicaSet', projectId, id, parentId, name, size: sizeOf(cpuMillis, memoryGbs), state, created: undefined };
    }),
  ];
}

function sizeOf(cpuMillis: number | undefined, memoryGbs: number | undefined): string | undefined {
  return cpuMillis === undefined || memoryGbs === undefined ? undefined : `${cpuMillis}m/${memoryGbs}GB`;
}
