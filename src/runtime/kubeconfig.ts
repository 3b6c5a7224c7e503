import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import type { ApiServer, Credentials } from './api-server.ts';

/**
 * Reads a kubeconfig as kubectl does: certificates, tokens, and plugins that make them. The second door of the runtime, apart from `index.ts`, since
 * client-node is behind it alone: it is large, and whoever has an {@link ApiServer} from elsewhere does without.
 */
export interface Kubeconfig {
  /** Those that have a cluster. */
  readonly contexts: readonly string[];
  /** The current context; undefined where there is none, or it has no cluster. */
  readonly current: string | undefined;
  /** @param context default: the current one @throws {Error} when there is none, or it has no cluster */
  apiServer(context?: string): ApiServer;
}

/** @throws what reading or parsing throws, which may quote credentials */
export function kubeconfig(source: { readonly file: string } | { readonly text: string }): Kubeconfig {
  const config = new KubeConfig();
  if ('file' in source) config.loadFromFile(source.file);
  else config.loadFromString(source.text);
  return read(config);
}

/** The ServiceAccount of a Pod, $KUBECONFIG, or the one of the user; undefined where there is none of them. @throws as {@link kubeconfig} */
export function defaultKubeconfig(): Kubeconfig | undefined {
  const config = new KubeConfig();
  config.loadFromDefault();
  // What client-node makes up where it finds nothing at all.
  return config.getCurrentCluster()?.server === 'http://localhost:8080' ? undefined : read(config);
}

function read(config: KubeConfig): Kubeconfig {
  return {
    contexts: config.getContexts().flatMap(({ name, cluster }) => (config.getCluster(cluster) ? [name] : [])),
    current: config.getCurrentCluster() ? config.getCurrentContext() : undefined,
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
  const given = Object.entries(options.headers ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return {
    tls: Object.fromEntries(Object.entries({ ca, cert, key, servername, rejectUnauthorized }).filter(([, value]) => value !== undefined)),
    // A token file ends with a line break more often than not, and a header must not hold one.
    headers: Object.fromEntries(given.map(([name, value]) => [name, value.trim()])),
  };
}
