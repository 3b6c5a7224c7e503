import { kinds, resourceTypes, type ManagedObject } from '../../resources/managed-object.ts';
import type { ClusterReader } from '../copy/cluster-copy.ts';

/** All objects of the operator, of a namespace or of all. @throws {KubernetesError} */
export async function readObjects(cluster: ClusterReader, namespace: string | undefined): Promise<readonly ManagedObject[]> {
  const lists = await Promise.all(kinds.map((kind) => cluster.list<ManagedObject>(resourceTypes[kind], { namespace })));
  return lists.flatMap(({ items }) => items);
}
