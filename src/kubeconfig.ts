import { KubeConfig } from '@kubernetes/client-node/dist/config.js';

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
    const where = kubeconfig === undefined ? 'the kubeconfig' : `--kubeconfig "${kubeconfig}"`;
    throw new KubeconfigError(`${where}: cannot be read (${reasonOf(error)})`);
  }
  if (context !== undefined) {
    const names = loaded.getContexts().map(({ name }) => name);
    if (!names.includes(context)) throw new KubeconfigError(`--context "${context}": the kubeconfig has ${names.join(', ') || 'none'}`);
    loaded.setCurrentContext(context);
  }
  const cluster = loaded.getCurrentCluster();
  if (!cluster) throw new KubeconfigError('the kubeconfig names no current context: choose one with --context');
  // What client-node makes up where it finds nothing at all.
  if (kubeconfig === undefined && cluster.server === 'http://localhost:8080')
    throw new KubeconfigError('no cluster: this is not a Pod, and there is neither $KUBECONFIG nor ~/.kube/config; give --kubeconfig');
  return loaded;
}

/** The code of a system error; of anything else nothing but its class: a kubeconfig holds credentials, and parsers quote what they cannot read. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? `not a kubeconfig: ${error.name}` : 'not a kubeconfig';
}
