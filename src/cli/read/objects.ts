import { kinds, resourceTypes, type ManagedObject } from '../../resources/managed-object.ts';
import type { ClusterReader } from '../copy/cluster-copy.ts';

/** All objects of the operator in these namespaces; undefined: in all. @throws {KubernetesError} */
export async function readObjects(
  cluster: ClusterReader,
  ...namespaces: readonly (string | undefined)[]
): Promise<readonly ManagedObject[]> {
  const lists = await Promise.all(
    kinds.flatMap((kind) =>
      namespaces.map((namespace) =>
        cluster.list<ManagedObject>(resourceTypes[kind], { namespace }),
      ),
    ),
  );
  return lists.flatMap(({ items }) => items);
}
