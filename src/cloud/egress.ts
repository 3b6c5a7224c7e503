import { Agent, buildConnector, EnvHttpProxyAgent, Pool, type Dispatcher } from 'undici';

/** The proxy between the operator and the cloud. */
export interface EgressProxy {
  /** May contain user and password of the proxy, so logs and errors must not show it. */
  readonly url: string;
  /** Hosts without the proxy, in the form of `NO_PROXY`. */
  readonly noProxy: string;
}

const connectTimeoutMs = 10_000;
/** The deadline of a call ends a stalled request. The agents limit only the time for connecting. */
const untimed = { allowH2: false, headersTimeout: 0, bodyTimeout: 0 } as const;
/** As in curl and Go. */
const neverProxied = ['localhost', '127.0.0.1', '::1'];

/**
 * Makes the connections to the cloud. A connection through a proxy is a tunnel (CONNECT) with TLS
 * inside: the proxy sees no request. The agent writes a request only after the tunnel is open.
 * @param proxy undefined: a direct connection
 * @param longestIdleMs the agent closes a connection without a request for this long; default: 4 s,
 *   or the time that the cloud names
 */
export function egressAgent(proxy: EgressProxy | undefined, longestIdleMs?: number): Dispatcher {
  const tls = { timeout: connectTimeoutMs, allowH2: false };
  // The agent makes a pool anew after a pause. A connector that stays may go on with an earlier TLS session.
  const idle =
    longestIdleMs === undefined
      ? {}
      : { keepAliveTimeout: longestIdleMs, keepAliveMaxTimeout: longestIdleMs };
  const options = { ...untimed, ...idle, connect: buildConnector(tls) };
  if (!proxy) return new Agent(options);
  return new EnvHttpProxyAgent({
    ...options,
    // Empty, so that undici does not read the environment.
    httpProxy: '',
    httpsProxy: proxy.url,
    noProxy: [proxy.noProxy, ...neverProxied].join(','),
    requestTls: tls,
    proxyTls: tls,
    // A proxy that does not answer must fail as fast as an absent proxy.
    clientFactory: (origin, pool) =>
      new Pool(origin, { ...pool, headersTimeout: connectTimeoutMs }),
  });
}
