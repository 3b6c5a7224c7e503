import { createSecureContext, type SecureContext } from 'node:tls';
import { Agent, type Dispatcher } from 'undici';

/** The way of a request: the sockets, and the headers with the credentials. */
interface Line {
  readonly dispatcher: Dispatcher;
  readonly headers: Credentials['headers'];
}

/**
 * The connections to an API server. They read credentials and certificates again every few seconds.
 */
export interface Connection extends AsyncDisposable {
  readonly server: URL;
  /**
   * Returns the way of requests that are answered soon.
   * @throws if the credentials cannot be read
   */
  calls(): Promise<Line>;
  /**
   * Returns the way of watches. They have connections of their own, since they would keep other
   * requests waiting.
   * @throws if the credentials cannot be read
   */
  watches(): Promise<Line>;
  /**
   * Must be called when the server refused the credentials. The next request reads them again, from
   * a new `apiServer`.
   */
  distrust(): void;
}

/** The API server, and the limits of its connections. */
export interface ConnectionOptions {
  /** Called at the start, and after refused credentials. In between, a credential plugin may keep its credentials. */
  readonly apiServer: () => ApiServer;
  readonly intercept?: Dispatcher.DispatcherComposeInterceptor | undefined;
  /** A watch that receives no byte for so long counts as dead. */
  readonly stallMs: number;
}

/** Credentials from a rotated file, or from a plugin, are read again after this real time. */
const credentialsMs = 5_000;

interface Agents {
  /** All that differs between two sets of certificates. */
  readonly identity: string;
  readonly calls: Dispatcher;
  readonly watches: Dispatcher;
}

interface Read extends Credentials {
  readonly identity: string;
}

/**
 * Makes the connections to an API server. They open with the first request.
 * @throws the error of `apiServer`
 */
export function connection(options: ConnectionOptions): Connection {
  let source: ApiServer | undefined = options.apiServer();
  const server = source.url;
  let credentials: { readonly at: number; readonly value: Promise<Read> } | undefined;
  let agents: Agents | undefined;

  const line = async (name: 'calls' | 'watches'): Promise<Line> => {
    if (!credentials || performance.now() - credentials.at > credentialsMs) {
      source ??= options.apiServer();
      credentials = { at: performance.now(), value: source.credentials().then(identified) };
      credentials.value.catch(() => (credentials = undefined));
    }
    const { identity, tls, headers } = await credentials.value;
    // Here, not with each read: two reads may end in another order than they began.
    if (agents?.identity !== identity) {
      const retired = agents;
      agents = { identity, ...agentsWith(tls, options) };
      void retired?.calls.close();
      void retired?.watches.close();
    }
    return { dispatcher: agents[name], headers };
  };

  return {
    server,
    calls: () => line('calls'),
    watches: () => line('watches'),
    distrust() {
      credentials = undefined;
      source = undefined;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([agents?.calls.destroy(), agents?.watches.destroy()]);
    },
  };
}

function identified(read: Credentials): Read {
  const { ca, cert, key, servername, rejectUnauthorized } = read.tls;
  return {
    ...read,
    identity: JSON.stringify([ca, cert, key, servername, rejectUnauthorized].map(String)),
  };
}

function agentsWith(
  tls: Credentials['tls'],
  { stallMs, intercept }: ConnectionOptions,
): Omit<Agents, 'identity'> {
  const connect = { ...tls, ...contextOf(tls), timeout: 5_000 };
  const agent = (bodyTimeout: number) => {
    const made = new Agent({
      allowH2: false,
      pipelining: 1,
      headersTimeout: 30_000,
      bodyTimeout,
      connect,
    });
    return intercept ? made.compose(intercept) : made;
  };
  return { calls: agent(30_000), watches: agent(stallMs) };
}

/**
 * Without an own context, each connection would read the certificates anew. With unreadable certificates, each
 * connection fails and reports why.
 */
function contextOf(tls: Credentials['tls']): { readonly secureContext?: SecureContext } {
  try {
    return { secureContext: createSecureContext(tls) };
  } catch {
    return {};
  }
}

/** The address of an API server, and its credentials. `kubeconfig.ts` reads them as kubectl does. */
export interface ApiServer {
  readonly url: URL;
  /** Called again every few seconds, since a token in a file is rotated. */
  credentials(): Promise<Credentials>;
}

/**
 * The credentials of a client of the API server: certificates, or headers with a token, or both.
 */
export interface Credentials {
  /** TLS options as Node takes them. An absent option has Node's default. */
  readonly tls: {
    readonly ca?: string | Buffer | (string | Buffer)[];
    readonly cert?: string | Buffer;
    readonly key?: string | Buffer;
    readonly servername?: string;
    readonly rejectUnauthorized?: boolean;
  };
  /** Request headers that carry a credential, such as `authorization`. */
  readonly headers: Readonly<Record<string, string>>;
}
