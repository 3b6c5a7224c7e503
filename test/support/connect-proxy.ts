import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface ConnectProxy extends AsyncDisposable {
  readonly url: string;
  /** The requests in order, such as `CONNECT cloud.test:443` and `GET http://...`. */
  readonly asked: string[];
  /** The credentials of the requests, decoded. */
  readonly credentials: string[];
  /** The kind of its answers from now on. `silent`: no answer. */
  answer: 'tunnel' | 'forbidden' | 'silent' | 'hangUp';
}

/** A real HTTP proxy on this machine. It connects every requested host to the port on 127.0.0.1, since a proxy resolves names itself. */
export async function connectProxy(): Promise<ConnectProxy> {
  const sockets = new Set<Socket>();
  const proxy: Omit<ConnectProxy, 'url' | typeof Symbol.asyncDispose> = {
    asked: [],
    credentials: [],
    answer: 'tunnel',
  };
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
