import { Agent, EnvHttpProxyAgent, Pool, type Dispatcher } from 'undici';

/** The way out to the cloud. */
export interface Egress {
  /** Undefined: straight. */
  readonly proxy?: EgressProxy | undefined;
  /** Certificates in PEM that are trusted for the cloud, instead of those of the system. */
  readonly ca?: string | undefined;
}

export interface EgressProxy {
  /** May hold user and password of the proxy: in no log and no error. */
  readonly url: string;
  /** Hosts that are reached straight, in the form of `NO_PROXY`. */
  readonly noProxy: string;
}

const connectTimeoutMs = 10_000;
/** The call's own deadline ends whatever is stalled; the agents only bound the time for a connection. */
const untimed = { allowH2: false, headersTimeout: 0, bodyTimeout: 0 } as const;
/** As curl and Go do: what is on this machine is not looked for elsewhere. */
const neverProxied = ['localhost', '127.0.0.1', '::1'];

/**
 * Connections to the cloud. Through a proxy, each is a tunnel (CONNECT) with TLS to the cloud inside: the proxy sees no request, and a request begins to be
 * written when the tunnel stands.
 * @param pipelining 0: a connection for each request
 */
export function egressAgent({ proxy, ca }: Egress, pipelining: 0 | 1): Dispatcher {
  const tls = { timeout: connectTimeoutMs, allowH2: false, ...(ca === undefined ? {} : { ca }) };
  const options = { ...untimed, pipelining, connect: tls };
  if (!proxy) return new Agent(options);
  return new EnvHttpProxyAgent({
    ...options,
    // Empty, so that it does not look into the environment by itself.
    httpProxy: '',
    httpsProxy: proxy.url,
    noProxy: [proxy.noProxy, ...neverProxied].join(','),
    requestTls: tls,
    proxyTls: { timeout: connectTimeoutMs, allowH2: false },
    // A proxy that is silent is as bad as one that is not there.
    clientFactory: (origin, pool) => new Pool(origin, { ...pool, headersTimeout: connectTimeoutMs }),
  });
}
