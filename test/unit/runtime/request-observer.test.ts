import { createServer } from 'node:http';
import { Agent, request } from 'undici';
import { expect, test } from 'vitest';
import { type RequestObservation, requestObserver } from '../../../src/runtime/outage.ts';
import { until } from '../../support/until.ts';

/** A server that answers by path, and the reports about the requests to it. */
async function observed() {
  const server = createServer((incoming, reply) => {
    const path = (incoming.url ?? '').replace(/\?.*/su, '');
    if (path === '/never') return;
    if (path === '/broken') incoming.socket.destroy();
    else if (path === '/open') reply.writeHead(200).write('{"type":"ADDED"}\n');
    else reply.writeHead(path === '/missing' ? 404 : 200).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the server listens nowhere');
  const host = `127.0.0.1:${address.port}`;
  const told: RequestObservation[] = [];
  const agent = new Agent();
  const dispatcher = agent.compose(requestObserver((observation) => void told.push(observation)));
  return {
    host,
    told,
    ask: (path: string, more: Partial<Parameters<typeof request>[1] & object> = {}) =>
      request(`http://${host}${path}`, { dispatcher, ...more }),
    async [Symbol.asyncDispose]() {
      await agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('each request is told once, with its method, host and status, when its reply is complete', async () => {
  await using server = await observed();
  await (await server.ask('/there')).body.text();
  await (await server.ask('/missing', { method: 'PATCH', body: '{}' })).body.text();
  expect(server.told).toMatchObject([
    { method: 'GET', host: server.host, status: 200, isWatch: false },
    { method: 'PATCH', status: 404, isWatch: false },
  ]);
});

test('a request without a reply is told without a status: one that breaks, and one that is ended', async () => {
  await using server = await observed();
  await expect(server.ask('/broken')).rejects.toThrow(
    /other side closed|ECONNRESET|socket hang up/u,
  );
  await expect(server.ask('/never', { signal: AbortSignal.timeout(20) })).rejects.toThrow(
    /timeout/u,
  );
  expect(server.told.map(({ status, error }) => [status, error instanceof Error])).toEqual([
    [undefined, true],
    [undefined, true],
  ]);
});

test('a watch is told when it is answered, and not again when it ends', async () => {
  await using server = await observed();
  const ending = new AbortController();
  const reply = await server.ask('/open', { query: { watch: 'true' }, signal: ending.signal });
  expect(server.told).toMatchObject([{ status: 200, isWatch: true }]);
  const ended = reply.body.text().catch(() => 'ended');
  ending.abort();
  expect(await ended).toBe('ended');
  await until('the connection to be given up', () => reply.body.destroyed);
  expect(server.told).toHaveLength(1);
});
