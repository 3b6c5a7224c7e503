import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { settingError } from '../config/settings-table.ts';

/** Which cluster is meant cannot be told; the message says what to do. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
}

export interface KubeconfigChoice {
  /** A file; else the ServiceAccount of a Pod, $KUBECONFIG, or the one of the user. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

/** @throws {KubeconfigError} */
export function loadKubeconfig({ kubeconfig, context }: KubeconfigChoice): KubeConfig {
  const loaded = new KubeConfig();
  try {
    if (kubeconfig === undefined) loaded.loadFromDefault();
    else loaded.loadFromFile(kubeconfig);
  } catch (error) {
    const why = `must be a kubeconfig that can be read (${reasonOf(error)})`;
    throw new KubeconfigError(
      kubeconfig === undefined ? `$KUBECONFIG or ~/.kube/config: ${why}` : settingError('kubeconfig', kubeconfig, why),
    );
  }
  if (context !== undefined) {
    const names = loaded.getContexts().map(({ name }) => name);
    if (!names.includes(context))
      throw new KubeconfigError(
        settingError('context', context, `must be a context of the kubeconfig: ${names.join(', ') || 'it has none'}`),
      );
    loaded.setCurrentContext(context);
  }
  const cluster = loaded.getCurrentCluster();
  if (!cluster) throw new KubeconfigError(settingError('context', undefined, 'must be set: the kubeconfig names no current context'));
  // What client-node makes up where it finds nothing at all.
  if (kubeconfig === undefined && cluster.server === 'http://localhost:8080')
    throw new KubeconfigError(
      settingError('kubeconfig', undefined, 'must be set: this is not a Pod, and there is neither $KUBECONFIG nor ~/.kube/config'),
    );
  return loaded;
}

/** The code of a system error; of anything else nothing but its class: a kubeconfig holds credentials, and parsers quote what they cannot read. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? `not a kubeconfig: ${error.name}` : 'not a kubeconfig';
}
