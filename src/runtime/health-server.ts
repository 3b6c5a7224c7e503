import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of health and metrics. Its disposal closes all connections. */
export interface HealthServer extends AsyncDisposable {
  /** The port on which it listens; a free port if the options name 0. */
  readonly port: number;
}

/** A page of metrics in the text format of Prometheus, collected for each request. */
export type MetricsPage = () => Promise<{ readonly contentType: string; readonly text: string }>;

/**
 * Serves /healthz (alive), /readyz (a line for each reason for not being ready), and pages of
 * metrics.
 * @throws when it cannot listen
 */
export async function healthServer(options: {
  readonly host: string;
  readonly port: number;
  /** Empty when the process is ready. */
  readonly waitingFor: () => readonly string[];
  /** A problem that only a restart solves. */
  readonly problem?: () => string | undefined;
  /** By path, such as `/metrics`. */
  readonly pages?: Readonly<Record<string, MetricsPage>>;
}): Promise<HealthServer> {
  const pages = new Map(Object.entries(options.pages ?? {}));
  const server = createServer((incoming, reply) => {
    const answer = (status: number, text: string, contentType = 'text/plain; charset=utf-8') => {
      reply
        .writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' })
        .end(text);
    };
    // Not parsed as a URL: a client may send any target, and `//` is not a valid URL.
    const path = (incoming.url ?? '').replace(/\?.*/su, '');
    switch (path) {
      case '/healthz': {
        const problem = options.problem?.();
        answer(problem === undefined ? 200 : 500, `${problem ?? 'ok'}\n`);
        return;
      }
      case '/readyz': {
        const waiting = options.waitingFor();
        answer(
          waiting.length === 0 ? 200 : 503,
          waiting.length === 0
            ? 'ok\n'
            : `${waiting.map((what) => `waiting for ${what}`).join('\n')}\n`,
        );
        return;
      }
      default: {
        const page = pages.get(path);
        if (page)
          page().then(
            ({ contentType, text }) => answer(200, text, contentType),
            () => answer(500, 'the metrics could not be collected\n'),
          );
        else answer(404, `try ${['/healthz', '/readyz', ...pages.keys()].join(', ')}\n`);
      }
    }
  });
  server.listen(options.port, options.host);
  await once(server, 'listening'); // throws the error, if any
  return {
    port: portOf(server.address()),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}
