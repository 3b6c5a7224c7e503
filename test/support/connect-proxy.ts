import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface ConnectProxy extends AsyncDisposable {
  readonly url: string;
  /** What it was asked for, in order: `CONNECT cloud.test:443`, `GET http://...`. */
  readonly asked: string[];
  /** The credentials that it was shown, decoded. */
  readonly credentials: string[];
  /** How it answers from now on. `silent`: not at all. */
  answer: 'tunnel' | 'forbidden' | 'silent' | 'hangUp';
}

/** A real HTTP proxy on this machine. Whatever host is asked for, it is the port of 127.0.0.1 that is meant: names are the proxy's business. */
export async function connectProxy(): Promise<ConnectProxy> {
  const sockets = new Set<Socket>();
  const proxy: Omit<ConnectProxy, 'url' | typeof Symbol.asyncDispose> = { asked: [], credentials: [], answer: 'tunnel' };
  const server = createServer((incoming, reply) => {
    proxy.asked.push(`${incoming.method} ${incoming.url}`);
    reply.writeHead(405).end();
  });
  server.on('connection', (socket) => void sockets.add(socket));
  server.on('connect', (incoming, client: Socket) => {
    proxy.asked.push(`CONNECT ${incoming.url}`);
    const [, shown] = (incoming.headers['proxy-authorization'] ?? '').split(' ');
    if (shown !== undefined) proxy.credentials.push(Buffer.from(shown, 'base64').toString('utf8'));
    client.on('error', () => undefined);
    if (proxy.answer === 'silent') return;
    if (proxy.answer === 'hangUp') {
      client.destroy();
      return;
    }
    if (proxy.answer === 'forbidden') {
      client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const port = Number((incoming.url ?? '').split(':').at(-1));
    const target = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    sockets.add(target);
    target.on('error', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}
