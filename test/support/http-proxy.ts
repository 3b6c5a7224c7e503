import { once } from 'node:events';
import { createServer, request as plainRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as tlsRequest } from 'node:https';

/** A request that came by. */
export interface Passing {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly contentType: string;
  /** When all of it was there, by the steady clock. */
  readonly atMs: number;
}

/** Something that does not come through for now. */
export interface Held {
  /** It is there. */
  readonly reached: Promise<Passing>;
  /** It goes on its way. */
  release(): void;
}

/** Stands between one process and a server, knows all that is said, and stops it where a test wants it to. */
export interface HttpProxy extends AsyncDisposable {
  readonly url: string;
  /** Everything that the process has asked for so far, whether it was passed on or not. */
  readonly requests: readonly Passing[];
  /** Holds the next request that fits, or its reply: then it has been carried out. */
  hold(what: 'request' | 'reply', isIt: (passing: Passing) => boolean): Held;
  /** Answers everything with this status from now on, and passes nothing on. */
  refuse(status: number): void;
  /** Breaks all connections and accepts no new ones. */
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

/** A server that speaks TLS, and as whom it is spoken to. Towards the process it is always HTTP. */
export interface Upstream {
  readonly ca: string;
  readonly token: string;
}

export async function httpProxy(target: string, upstream?: Upstream): Promise<HttpProxy> {
  const requests: Passing[] = [];
  const traps: Trap[] = [];
  let refusal: number | undefined;
  const take = (what: Trap['what'], passing: Passing): Trap | undefined => {
    const index = traps.findIndex((trap) => trap.what === what && trap.isIt(passing));
    return index < 0 ? undefined : traps.splice(index, 1)[0];
  };
  const pass = async (incoming: IncomingMessage, reply: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(Buffer.from(chunk as Uint8Array)); // oxlint-disable-line typescript/no-unsafe-type-assertion -- what a stream of bytes gives
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
    if (reply.destroyed) return; // whoever asked is dead
    if (refusal !== undefined) {
      reply.writeHead(refusal, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    const late = take('reply', passing);
    const send = upstream ? tlsRequest : plainRequest;
    const outgoing = send(new URL(passing.path, target), {
      method: passing.method,
      headers: { ...incoming.headers, host: new URL(target).host, ...(upstream ? { authorization: `Bearer ${upstream.token}` } : {}) },
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
  const server = createServer((incoming, reply) => void pass(incoming, reply).catch(() => reply.destroy()));
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
    refuse: (status) => void (refusal = status),
    cut,
    async mend() {
      await listen(port);
    },
    [Symbol.asyncDispose]: cut,
  };
}
