import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';

/** A request as it arrived. */
export interface Arrived {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Which connection it came over, from 1. */
  readonly connection: number;
  /** Resolves when that connection is closed. */
  readonly closed: Promise<unknown>;
}

export interface ScriptedPeer extends AsyncDisposable {
  readonly url: URL;
  readonly arrived: readonly Arrived[];
}

/** An HTTP server on a free port that answers as the test says. */
export async function scriptedPeer(
  answer: (request: Arrived, response: ServerResponse) => void,
): Promise<ScriptedPeer> {
  const arrived: Arrived[] = [];
  const connections = new Map<Socket, Pick<Arrived, 'connection' | 'closed'>>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const over = connections.get(request.socket) ?? {
        connection: connections.size + 1,
        closed: once(request.socket, 'close'),
      };
      connections.set(request.socket, over);
      const { method = '', url: path = '', headers } = request;
      const seen = { method, path, headers, body: Buffer.concat(chunks).toString(), ...over };
      arrived.push(seen);
      answer(seen, response);
    });
  });
  const close = await listening(server);
  return {
    url: new URL(`http://127.0.0.1:${portOf(server)}`),
    arrived,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await close();
    },
  };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}) {
  return (_request: Arrived, response: ServerResponse): void => {
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));
  };
}

export function text(status: number, body: string, headers: Record<string, string> = {}) {
  return (_request: Arrived, response: ServerResponse): void => {
    response.writeHead(status, headers).end(body);
  };
}

export interface RawPeer extends AsyncDisposable {
  readonly url: URL;
  readonly connections: () => number;
  readonly bytes: () => number;
}

/** A TCP server that counts the received bytes and lets the test handle each connection and its data. */
export async function rawPeer(
  onData: (socket: Socket) => void,
  onConnect: (socket: Socket) => void = () => {},
): Promise<RawPeer> {
  const sockets = new Set<Socket>();
  let bytes = 0;
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => {
      bytes += data.length;
      onData(socket);
    });
    onConnect(socket);
  });
  const close = await listening(server);
  return {
    url: new URL(`http://127.0.0.1:${portOf(server)}`),
    connections: () => sockets.size,
    bytes: () => bytes,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await close();
    },
  };
}

async function listening(server: Server): Promise<() => Promise<void>> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return async () => {
    await new Promise((resolve) => {
      server.close(resolve);
    });
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('not listening');
  return address.port;
}
