import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:https';

export interface BehindTls extends AsyncDisposable {
  readonly port: number;
  /** The requests in order, such as `POST /projects/...`. */
  readonly asked: string[];
}

/** Serves an http server by https on another port. */
export async function behindTls(
  target: URL | string,
  tls: { readonly key: string; readonly cert: string },
): Promise<BehindTls> {
  const asked: string[] = [];
  const server = createServer(tls, (incoming, reply) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    const { method, headers } = incoming;
    const further = request(new URL(incoming.url ?? '/', target), { method, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(reply);
    });
    further.on('error', () => reply.destroy());
    incoming.pipe(further);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
