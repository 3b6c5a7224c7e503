import { apiServerOf, type KubeconfigChoice } from '../../operator/kubeconfig.ts';
import { version } from '../../operator/version.ts';
import { connection, kubernetesClient, type KubernetesClient } from '../../runtime/index.ts';

export type ClusterChoice = KubeconfigChoice;

/** A connection to the cluster of a kubeconfig. @throws {SettingsError} when there is none */
export function openCluster(
  choice: ClusterChoice,
): { readonly client: KubernetesClient } & AsyncDisposable {
  const apiServer = () => apiServerOf(choice);
  const link = connection({ apiServer, stallMs: 60_000 });
  const userAgent = `managed-db/${version.version}`;
  return {
    client: kubernetesClient({ connection: link, fieldManager: 'managed-db', userAgent }),
    [Symbol.asyncDispose]: () => link[Symbol.asyncDispose](),
  };
}
