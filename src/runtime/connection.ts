import { Agent, type Dispatcher } from 'undici';
import type { ApiServer, Credentials } from './api-server.ts';

/** Connections to the API server, with credentials. */
export interface Connection extends AsyncDisposable {
  readonly server: URL;
  /** For requests that are answered soon. */
  calls(): Promise<{ readonly dispatcher: Dispatcher; readonly headers: Credentials['headers'] }>;
  /** For watches. They have connections of their own, since they would keep other requests waiting. */
  watches(): Promise<{ readonly dispatcher: Dispatcher; readonly headers: Credentials['headers'] }>;
  /** Must be called when the server refused the credentials: the next request reads them anew. */
  distrust(): void;
}

export interface ConnectionOptions {
  /** Called at the start, and again after the server refused the credentials. In between, a credential plugin may keep its credentials. */
  readonly apiServer: () => ApiServer;
  readonly intercept?: Dispatcher.DispatcherComposeInterceptor | undefined;
  /** A watch that receives no byte for so long counts as dead. */
  readonly stallMs: number;
}

/** Credentials may come from a file that is rotated, or from a plugin. They are read again after this real time. */
const credentialsMs = 5_000;

interface Agents {
  readonly identity: string;
  readonly calls: Agent;
  readonly watches: Agent;
}

export function connection(options: ConnectionOptions): Connection {
  let source: ApiServer | undefined = options.apiServer();
  const server = source.url;
  let credentials: { readonly at: number; readonly value: Promise<Credentials> } | undefined;
  let agents: Agents | undefined;

  const current = async (): Promise<{ agents: Agents; headers: Credentials['headers'] }> => {
    if (!credentials || performance.now() - credentials.at > credentialsMs) {
      source ??= options.apiServer();
      credentials = { at: performance.now(), value: source.credentials() };
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
      source = undefined;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([agents?.calls.destroy(), agents?.watches.destroy()]);
    },
  };
}

function agent(tls: Credentials['tls'], bodyTimeout: number): Agent {
  return new Agent({ allowH2: false, pipelining: 1, headersTimeout: 30_000, bodyTimeout, connect: { ...tls, timeout: 5_000 } });
}
