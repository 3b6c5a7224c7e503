import { once } from 'node:events';
import {
  createServer,
  request as plainRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { request as tlsRequest } from 'node:https';

/** A request that passed. */
export interface Passing {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly contentType: string;
  /** When it had arrived completely, by the steady clock. */
  readonly atMs: number;
}

/** A request or reply that is held back. */
export interface Held {
  /** Resolves when it has arrived. */
  readonly reached: Promise<Passing>;
  /** Lets it pass. */
  release(): void;
}

/** A proxy between a process and a server. It records all requests, and holds those that a test selects. */
export interface HttpProxy extends AsyncDisposable {
  readonly url: string;
  /** All requests of the process so far, also those that were held. */
  readonly requests: readonly Passing[];
  /** Holds the next request that fits, or its reply. A request whose reply is held has been carried out. */
  hold(what: 'request' | 'reply', isIt: (passing: Passing) => boolean): Held;
  /** Breaks all connections and accepts no new connections. */
  cut(): Promise<void>;
  /** Listens again, on the same port. */
  mend(): Promise<void>;
}

interface Trap {
  readonly what: 'request' | 'reply';
  readonly isIt: (passing: Passing) => boolean;
  readonly reach: (passing: Passing) => void;
  readonly released: Promise<void>;
}

/** The server and the TLS identity for it. The process itself talks HTTP to the proxy. */
export interface Upstream {
  readonly ca: string;
  readonly token: string;
}

export async function httpProxy(target: string, upstream?: Upstream): Promise<HttpProxy> {
  const requests: Passing[] = [];
  const traps: Trap[] = [];
  const take = (what: Trap['what'], passing: Passing): Trap | undefined => {
    const index = traps.findIndex((trap) => trap.what === what && trap.isIt(passing));
    return index < 0 ? undefined : traps.splice(index, 1)[0];
  };
  const pass = async (incoming: IncomingMessage, reply: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(Buffer.from(chunk as Uint8Array)); // oxlint-disable-line typescript/no-unsafe-type-assertion -- a stream of bytes gives these
    const passing = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      body: Buffer.concat(chunks).toString('utf8'),
      contentType: incoming.headers['content-type'] ?? '',
      atMs: performance.now(),
    };
    requests.push(passing);
    const early = take('request', passing);
    early?.reach(passing);
    await early?.released;
    if (reply.destroyed) return; // the process that asked is dead
    const late = take('reply', passing);
    const send = upstream ? tlsRequest : plainRequest;
    const outgoing = send(new URL(passing.path, target), {
      method: passing.method,
      headers: {
        ...incoming.headers,
        host: new URL(target).host,
        ...(upstream ? { authorization: `Bearer ${upstream.token}` } : {}),
      },
      ...(upstream ? { ca: upstream.ca } : {}),
    });
    reply.on('close', () => outgoing.destroy());
    outgoing.on('error', () => reply.destroy());
    outgoing.on('response', (answer) => {
      const forward = () => {
        reply.writeHead(answer.statusCode ?? 500, answer.headers);
        reply.flushHeaders();
        answer.pipe(reply);
      };
      if (!late) forward();
      else {
        late.reach(passing);
        void late.released.then(forward);
      }
    });
    outgoing.end(passing.body);
  };
  const server = createServer(
    (incoming, reply) => void pass(incoming, reply).catch(() => reply.destroy()),
  );
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port');
    return address.port;
  };
  const port = await listen(0);
  const cut = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    hold(what, isIt) {
      const { promise: reached, resolve: reach } = Promise.withResolvers<Passing>();
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      traps.push({ what, isIt, reach, released });
      return { reached, release };
    },
    cut,
    async mend() {
      await listen(port);
    },
    [Symbol.asyncDispose]: cut,
  };
}
