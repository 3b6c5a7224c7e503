import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Dispatcher } from 'undici';

export type Query = Readonly<Record<string, string>>;

/** The diversion of a request: another query, or another server. */
export interface Diverted {
  readonly query?: Query;
  readonly origin?: string;
}

export interface Requests {
  readonly intercept: Dispatcher.DispatcherComposeInterceptor;
  readonly watches: readonly Query[];
  readonly lists: readonly Query[];
}

/** Sees the watches and lists that go out; `divert` may send the nth of its sort, counted from 1, elsewhere. */
export function requests(
  divert: (sort: 'watch' | 'list', query: Query, nth: number) => Diverted | undefined = () =>
    undefined,
): Requests {
  const seen = { watch: new Array<Query>(), list: new Array<Query>() };
  return {
    watches: seen.watch,
    lists: seen.list,
    intercept: (dispatch) => (options, handler) => {
      if (options.method !== 'GET') return dispatch(options, handler);
      const query: Query = Object.fromEntries(
        Object.entries(options.query ?? {}).map(([name, value]) => [name, String(value)]),
      );
      const sort = query['watch'] === 'true' ? 'watch' : 'list';
      const nth = seen[sort].push(query);
      return dispatch({ ...options, ...divert(sort, query, nth) }, handler);
    },
  };
}

/** A server that answers each request with these objects, each on a line. */
export async function answering(
  status: number,
  objects: readonly object[],
  headers: Readonly<Record<string, string>> = {},
) {
  const server = createServer((_incoming, reply) => {
    reply
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(objects.map((object) => `${JSON.stringify(object)}\n`).join(''));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
