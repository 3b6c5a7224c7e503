import { kinds, resourceTypes, type ManagedObject } from '../../resources/managed-object.ts';
import type { ResourceType } from '../../runtime/index.ts';
import type { ClusterReader } from '../copy/cluster-copy.ts';
import { collected, memoryGuard } from '../memory.ts';
import { permitted } from './permission.ts';

/**
 * Objects in a page. The text of a page and its parsed copy are in memory at the same time, and a program in the
 * operator's Pod shares the memory of the operator.
 */
const pageSize = 100;

/** The objects of a kind, page by page. @throws {KubernetesError} */
export async function* pagesOf<T>(
  cluster: ClusterReader,
  type: ResourceType<T>,
  where: { readonly namespace?: string | undefined; readonly labelSelector?: string | undefined },
): AsyncGenerator<readonly T[]> {
  let page: string | undefined;
  do {
    const list = await cluster.list(type, { ...where, limit: pageSize, continue: page });
    yield list.items;
    page = list.continue;
  } while (page !== undefined);
}

/** The objects of the operator in these namespaces, page by page; undefined: in all. @throws {KubernetesError} @throws {CommandError} without the right */
export async function* objectPages(
  cluster: ClusterReader,
  ...namespaces: readonly (string | undefined)[]
): AsyncGenerator<readonly ManagedObject[]> {
  for (const kind of kinds)
    for (const namespace of namespaces)
      yield* permitted(
        pagesOf<ManagedObject>(cluster, resourceTypes[kind], { namespace }),
        resourceTypes[kind].plural,
        namespace,
      );
}

/** All objects of the operator in these namespaces; undefined: in all. @throws {KubernetesError} @throws {CommandError} */
export async function readObjects(
  cluster: ClusterReader,
  ...namespaces: readonly (string | undefined)[]
): Promise<readonly ManagedObject[]> {
  return collected(objectPages(cluster, ...namespaces), memoryGuard());
}
