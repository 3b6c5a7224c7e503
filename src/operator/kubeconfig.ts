import { settingError } from '../config/settings-table.ts';
import type { ApiServer } from '../runtime/index.ts';
import { defaultKubeconfig, kubeconfig as read, type Kubeconfig } from '../runtime/kubeconfig.ts';

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
export function apiServerOf({ kubeconfig, context }: KubeconfigChoice): ApiServer {
  const loaded = readable(kubeconfig);
  if (!loaded)
    throw new KubeconfigError(
      settingError('kubeconfig', undefined, 'must be set: this is not a Pod, and there is neither $KUBECONFIG nor ~/.kube/config'),
    );
  const { contexts, current } = loaded;
  if (context !== undefined && !contexts.includes(context))
    throw new KubeconfigError(
      settingError('context', context, `must be a context of the kubeconfig: ${contexts.join(', ') || 'it has none'}`),
    );
  if (context === undefined && current === undefined)
    throw new KubeconfigError(settingError('context', undefined, 'must be set: the kubeconfig names no current context'));
  return loaded.apiServer(context);
}

function readable(file: string | undefined): Kubeconfig | undefined {
  try {
    return file === undefined ? defaultKubeconfig() : read({ file });
  } catch (error) {
    const why = `must be a kubeconfig that can be read (${reasonOf(error)})`;
    throw new KubeconfigError(file === undefined ? `$KUBECONFIG or ~/.kube/config: ${why}` : settingError('kubeconfig', file, why));
  }
}

/** The code of a system error; of anything else nothing but its class: a kubeconfig holds credentials, and parsers quote what they cannot read. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? `not a kubeconfig: ${error.name}` : 'not a kubeconfig';
}
