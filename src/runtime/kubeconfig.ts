import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import type { ApiServer, Credentials } from './connection.ts';

/**
 * A kubeconfig, read as kubectl does: certificates, tokens, and credential plugins. It is apart from `index.ts`, since
 * only this file needs the large client-node. An operator with an {@link ApiServer} from elsewhere does without.
 */
export interface Kubeconfig {
  /** The contexts that have a cluster. */
  readonly contexts: readonly string[];
  /** Undefined if there is none, or if it has no cluster. */
  readonly current: string | undefined;
  /** The contexts whose cluster has a `proxy-url`. Requests go to the server directly: refuse these contexts. */
  readonly behindProxy: readonly string[];
  /**
   * Returns the namespace of a context; undefined if it names none.
   * @param context default: the current context
   */
  namespaceOf(context?: string): string | undefined;
  /**
   * Returns the API server of a context.
   * @param context default: the current context
   * @throws {Error} if there is no such context, or if its cluster is missing
   */
  apiServer(context?: string): ApiServer;
}

/**
 * Reads a kubeconfig.
 * @throws the error of reading or parsing, which may quote credentials
 */
export function kubeconfig(
  source: { readonly file: string } | { readonly text: string },
): Kubeconfig {
  const config = new KubeConfig();
  if ('file' in source) config.loadFromFile(source.file);
  else config.loadFromString(source.text);
  return read(config);
}

/**
 * $KUBECONFIG, else ~/.kube/config, else the ServiceAccount of the Pod; undefined without any of them. @throws as
 * {@link kubeconfig}
 */
export function defaultKubeconfig(): Kubeconfig | undefined {
  const config = new KubeConfig();
  config.loadFromDefault();
  // The default of client-node when it finds no configuration.
  return config.getCurrentCluster()?.server === 'http://localhost:8080' ? undefined : read(config);
}

function read(config: KubeConfig): Kubeconfig {
  return {
    contexts: config
      .getContexts()
      .flatMap(({ name, cluster }) => (config.getCluster(cluster) ? [name] : [])),
    behindProxy: config
      .getContexts()
      .flatMap(({ name, cluster }) => (config.getCluster(cluster)?.proxyUrl ? [name] : [])),
    current: config.getCurrentCluster() ? config.getCurrentContext() : undefined,
    namespaceOf: (context) =>
      config.getContextObject(context ?? config.getCurrentContext())?.namespace,
    apiServer(context) {
      if (context !== undefined) config.setCurrentContext(context);
      const cluster = config.getCurrentCluster();
      if (!cluster) throw new Error('the kubeconfig names no cluster: set its current-context');
      return { url: new URL(cluster.server), credentials: () => credentialsIn(config) };
    },
  };
}

async function credentialsIn(config: KubeConfig): Promise<Credentials> {
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  const given = Object.entries(options.headers ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return {
    tls: Object.fromEntries(
      Object.entries({ ca, cert, key, servername, rejectUnauthorized }).filter(
        ([, value]) => value !== undefined,
      ),
    ),
    // A token file often ends with a line break, which a header must not contain.
    headers: Object.fromEntries(given.map(([name, value]) => [name, value.trim()])),
  };
}
