import { defaultNamespaceOf } from '../../operator/kubeconfig.ts';
import type { ClusterChoice } from './cluster.ts';

/** That of `-n`, else that of the context, else `default`. */
export function namespaceOf({
  namespace,
  ...choice
}: ClusterChoice & { readonly namespace?: string | undefined }): string {
  return namespace ?? defaultNamespaceOf(choice) ?? 'default';
}
