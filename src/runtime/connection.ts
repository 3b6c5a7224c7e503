import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { Agent, type Dispatcher } from 'undici';

/** How requests reach the API server, with the credentials of the kubeconfig. */
export interface Connection extends AsyncDisposable {
  readonly server: URL;
  /** For calls that end soon. */
  calls(): Promise<{ readonly dispatcher: Dispatcher; readonly headers: Record<string, string> }>;
  /** For watches, which would otherwise keep other requests waiting. */
  watches(): Promise<{ readonly dispatcher: Dispatcher; readonly headers: Record<string, string> }>;
  /** The server did not accept the credentials: they are read anew for the next request. */
  distrust(): void;
}

export interface ConnectionOptions {
  /** Reads the kubeconfig; called again after the server refused its credentials, since those of a plugin are kept until then. */
  readonly loadConfig: () => KubeConfig;
  readonly intercept?: Dispatcher.DispatcherComposeInterceptor | undefined;
  /** No byte for this long, and a watch counts as dead. */
  readonly stallMs: number;
}

/** Credentials may come from a file that is rotated or a plugin: looked at again after this long, in real time. */
const credentialsMs = 5_000;

interface Credentials {
  readonly tls: Pick<RequestOptions, 'ca' | 'cert' | 'key' | 'servername' | 'rejectUnauthorized'>;
  readonly headers: Record<string, string>;
}

interface Agents {
  readonly identity: string;
  readonly calls: Agent;
  readonly watches: Agent;
}

export function connection(options: ConnectionOptions): Connection {
  let config: KubeConfig | undefined = options.loadConfig();
  const server = new URL(config.getCurrentCluster()?.server ?? missingCluster());
  let credentials: { readonly at: number; readonly value: Promise<Credentials> } | undefined;
  let agents: Agents | undefined;

  const current = async (): Promise<{ agents: Agents; headers: Record<string, string> }> => {
    if (!credentials || performance.now() - credentials.at > credentialsMs) {
      config ??= options.loadConfig();
      credentials = { at: performance.now(), value: readCredentials(config) };
      credentials.value.catch(() => (credentials = undefined));
    }
    const { tls, headers } = await credentials.value;
    const identity = JSON.stringify([tls.ca, tls.cert, tls.key, tls.servername, tls.rejectUnauthorized].map(String));
    if (agents?.identity !== identity) {
      const retired = agents;
      agents = { identity, calls: agent(tls, 30_000), watches: agent(tls, options.stallMs) };
      void retired?.calls.close();
      void retired?.watches.close();
    }
    return { agents, headers };
  };
  const composed = (base: Agent): Dispatcher => (options.intercept ? base.compose(options.intercept) : base);

  return {
    server,
    async calls() {
      const { agents: open, headers } = await current();
      return { dispatcher: composed(open.calls), headers };
    },
    async watches() {
      const { agents: open, headers } = await current();
      return { dispatcher: composed(open.watches), headers };
    },
    distrust() {
      credentials = undefined;
      config = undefined;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([agents?.calls.destroy(), agents?.watches.destroy()]);
    },
  };
}

function agent(tls: Credentials['tls'], bodyTimeout: number): Agent {
  return new Agent({ allowH2: false, pipelining: 1, headersTimeout: 30_000, bodyTimeout, connect: { ...tls, timeout: 5_000 } });
}

async function readCredentials(config: KubeConfig): Promise<Credentials> {
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

function missingCluster(): never {
  throw new Error('the kubeconfig names no cluster: set its current-context');
}
