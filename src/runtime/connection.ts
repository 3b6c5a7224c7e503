import { createSecureContext } from 'node:tls';
import { Agent, type Dispatcher } from 'undici';
import type { ApiServer, Credentials } from './api-server.ts';

interface Line {
  readonly dispatcher: Dispatcher;
  readonly headers: Credentials['headers'];
}

/** Connections to the API server, with credentials. */
export interface Connection extends AsyncDisposable {
  readonly server: URL;
  /** For requests that are answered soon. */
  calls(): Promise<Line>;
  /** For watches. They have connections of their own, since they would keep other requests waiting. */
  watches(): Promise<Line>;
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
  /** All that differs between two sets of certificates. */
  readonly identity: string;
  readonly calls: Agent;
  readonly watches: Agent;
}

export function connection(options: ConnectionOptions): Connection {
  let source: ApiServer | undefined = options.apiServer();
  const server = source.url;
  let lines: { readonly at: number; readonly value: Promise<Record<'calls' | 'watches', Line>> } | undefined;
  let agents: Agents | undefined;

  const linesWith = ({ tls, headers }: Credentials) => {
    const identity = JSON.stringify([tls.ca, tls.cert, tls.key, tls.servername, tls.rejectUnauthorized].map(String));
    if (agents?.identity !== identity) {
      const retired = agents;
      agents = { identity, ...agentsWith(tls, options.stallMs) };
      void retired?.calls.close();
      void retired?.watches.close();
    }
    const line = (base: Agent): Line => ({ dispatcher: options.intercept ? base.compose(options.intercept) : base, headers });
    return { calls: line(agents.calls), watches: line(agents.watches) };
  };
  const current = () => {
    if (!lines || performance.now() - lines.at > credentialsMs) {
      source ??= options.apiServer();
      lines = { at: performance.now(), value: source.credentials().then(linesWith) };
      lines.value.catch(() => (lines = undefined));
    }
    return lines.value;
  };

  return {
    server,
    calls: async () => (await current()).calls,
    watches: async () => (await current()).watches,
    distrust() {
      lines = undefined;
      source = undefined;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([agents?.calls.destroy(), agents?.watches.destroy()]);
    },
  };
}

function agentsWith(tls: Credentials['tls'], stallMs: number): Omit<Agents, 'identity'> {
  // Without one of their own, each connection would read the certificates anew, and keep them.
  const connect = { ...tls, secureContext: createSecureContext(tls), timeout: 5_000 };
  const agent = (bodyTimeout: number) => new Agent({ allowH2: false, pipelining: 1, headersTimeout: 30_000, bodyTimeout, connect });
  return { calls: agent(30_000), watches: agent(stallMs) };
}
