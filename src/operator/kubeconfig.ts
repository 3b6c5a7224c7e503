import { SettingsError, wrongSetting } from '../config/settings-table.ts';
import type { ApiServer } from '../runtime/index.ts';
import { defaultKubeconfig, kubeconfig as read } from '../runtime/kubeconfig.ts';

export interface KubeconfigChoice {
  /** A file. Default: $KUBECONFIG, else ~/.kube/config, else the ServiceAccount of the Pod. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

/** @throws {SettingsError} */
export function apiServerOf({ kubeconfig, context }: KubeconfigChoice): ApiServer {
  const loaded = readable(kubeconfig, () =>
    kubeconfig === undefined ? defaultKubeconfig() : read({ file: kubeconfig }),
  );
  if (!loaded)
    throw wrongSetting(
      'kubeconfig',
      undefined,
      'must be set: this is not a Pod, and there is neither $KUBECONFIG nor ~/.kube/config',
    );
  const { contexts, current, behindProxy } = loaded;
  if (context !== undefined && !contexts.includes(context))
    throw wrongSetting(
      'context',
      context,
      `must be a context of the kubeconfig: ${contexts.join(', ') || 'it has none'}`,
    );
  const chosen = context ?? current;
  if (chosen === undefined)
    throw wrongSetting(
      'context',
      undefined,
      'must be set: the kubeconfig names no current context',
    );
  if (behindProxy.includes(chosen)) {
    const elsewhere = 'run the operator in the cluster, or forward a port to its API server';
    throw wrongSetting(
      'context',
      chosen,
      `must be a cluster without a proxy-url, which the operator ignores: ${elsewhere}`,
    );
  }
  return readable(kubeconfig, () => loaded.apiServer(context));
}

/** Undefined if the context names none, or if the kubeconfig cannot be read. */
export function defaultNamespaceOf({ kubeconfig, context }: KubeconfigChoice): string | undefined {
  const loaded = readable(kubeconfig, () =>
    kubeconfig === undefined ? defaultKubeconfig() : read({ file: kubeconfig }),
  );
  return loaded?.namespaceOf(context);
}

function readable<T>(file: string | undefined, readIt: () => T): T {
  try {
    return readIt();
  } catch (error) {
    const why = `must be a kubeconfig that can be read (${reasonOf(error)})`;
    throw file === undefined
      ? new SettingsError(`$KUBECONFIG or ~/.kube/config: ${why}`)
      : wrongSetting('kubeconfig', file, why);
  }
}

/** The code of a system error, otherwise the class: a parser may quote credentials of the kubeconfig. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string')
    return error.code;
  return error instanceof Error ? `not a kubeconfig: ${error.name}` : 'not a kubeconfig';
}
