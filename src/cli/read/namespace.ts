import { defaultNamespaceOf } from '../../operator/kubeconfig.ts';
import { namespaceMetadata } from '../../resources/namespace-metadata.ts';
import { resourceKey } from '../../runtime/index.ts';
import type { ClusterReader } from '../copy/cluster-copy.ts';
import { CommandError } from '../error.ts';
import type { ClusterChoice } from './cluster.ts';
import { isForbidden } from './permission.ts';

/** That of `-n`, else that of the context, else `default`. */
export function namespaceOf({
  namespace,
  ...choice
}: ClusterChoice & { readonly namespace?: string | undefined }): string {
  return namespace ?? defaultNamespaceOf(choice) ?? 'default';
}

/**
 * Refuses a namespace in which a command found nothing because it does not exist. A person who may not read Namespaces
 * cannot learn that.
 * @throws {CommandError} if the namespace does not exist
 * @throws {KubernetesError} if the API server refuses the read for another reason than a missing right
 */
export async function refuseMissingNamespace(
  cluster: Pick<ClusterReader, 'get'>,
  namespace: string,
): Promise<void> {
  try {
    if (await cluster.get(namespaceMetadata, resourceKey(undefined, namespace))) return;
  } catch (error) {
    if (isForbidden(error)) return;
    throw error;
  }
  throw new CommandError(`namespace ${namespace} does not exist: check -n NAMESPACE`);
}
