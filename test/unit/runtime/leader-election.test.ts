import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { leaderElection } from '../../../src/runtime/leader-election.ts';
import { resourceKey, type ResourceType } from '../../../src/runtime/kubernetes-object.ts';
import { manager } from '../../../src/runtime/manager.ts';

const configMaps: ResourceType<unknown> = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  parse: (value) => value,
};
const metadata = { name: 'operator', namespace: 'system', uid: 'uid', resourceVersion: '1' };
const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

const election = {
  namespace: 'system',
  name: 'operator',
  identity: 'one',
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
};

afterEach(() => void vi.useRealTimers());

/**
 * An API server without objects that accepts every lease. It records the connections of lease requests and of
 * other requests.
 */
async function emptyServer() {
  const connections = { leases: new Set<number>(), rest: new Set<number>() };
  const answer = async (asked: IncomingMessage, reply: ServerResponse) => {
    const { url = '', method, socket } = asked;
    connections[url.includes('/leases') ? 'leases' : 'rest'].add(socket.remotePort ?? 0);
    const [kind, name] = new URL(url, 'http://localhost').pathname.split('/').slice(-2);
    if (method === 'GET')
      reply
        .writeHead(404)
        .end(JSON.stringify({ kind: 'Status', reason: 'NotFound', details: { kind, name } }));
    else
      reply
        .writeHead(201)
        .end(JSON.stringify({ ...z.looseObject({}).parse(await json(asked)), metadata }));
  };
  const server = createServer((asked, reply) => void answer(asked, reply));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the server listens nowhere');
  return {
    url: new URL(`http://127.0.0.1:${address.port}`),
    connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('the lease has connections of its own: no other request, and no connection that hangs with one, keeps a renewal waiting', async () => {
  await using server = await emptyServer();
  const operator = manager({
    name: 'operator',
    apiServer: () => ({
      url: server.url,
      credentials: () => Promise.resolve({ tls: {}, headers: {} }),
    }),
    log: silent,
    election,
  });
  const ask = () => operator.client.get(configMaps, resourceKey('system', 'any'));
  await ask();
  const running = await operator.start();
  await running.started;
  await ask();
  await running.stop(0);
  const { leases, rest } = server.connections;
  expect(rest.size).toBeGreaterThan(0);
  expect(leases.size).toBeGreaterThan(0);
  expect(leases.isDisjointFrom(rest)).toBe(true);
});

/** The times of three looks of a standby process, from the first. */
async function looksOf(chance: number): Promise<readonly number[]> {
  const lookedAt: number[] = [];
  const credentials = () => {
    lookedAt.push(performance.now());
    return Promise.reject(new Error('the API server is away'));
  };
  const apiServer = () => ({ url: new URL('http://127.0.0.1'), credentials });
  const parts = {
    apiServer,
    intercept: undefined,
    fieldManager: 'operator',
    userAgent: 'operator',
    log: silent,
    random: () => chance,
  };
  const ending = new AbortController();
  const won = leaderElection(election, parts)
    .win(ending.signal)
    .catch((error: unknown) => error);
  for (let look = 0; look < 2; look++) await vi.advanceTimersToNextTimerAsync();
  ending.abort(new Error('the test is over'));
  expect(await won).toEqual(new Error('the test is over'));
  return lookedAt.map((at) => Math.round(at - (lookedAt[0] ?? 0)));
}

test('each standby process looks at the lease again at a time of its own, after half a second to a second', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  expect([await looksOf(0), await looksOf(0.5), await looksOf(1)]).toEqual([
    [0, 500, 1_000],
    [0, 750, 1_500],
    [0, 1_000, 2_000],
  ]);
});
