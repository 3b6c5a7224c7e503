import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { healthServer } from '../../../src/runtime/health-server.ts';

function served(
  options: {
    waitingFor?: readonly string[];
    problem?: string;
    metrics?: () => Promise<{ contentType: string; text: string }>;
  } = {},
) {
  return healthServer({
    host: '127.0.0.1',
    port: 0,
    waitingFor: () => options.waitingFor ?? [],
    problem: () => options.problem,
    pages: {
      '/metrics':
        options.metrics ??
        (() => Promise.resolve({ contentType: 'text/x-metrics', text: 'visits_total 3\n' })),
    },
  });
}

async function get(port: number, path: string) {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`);
  return {
    status: reply.status,
    text: await reply.text(),
    contentType: reply.headers.get('content-type'),
  };
}

test('a process that still waits is alive, but not ready, and names the reason', async () => {
  await using server = await served({ waitingFor: ['the API server', 'the first lists'] });
  expect(await get(server.port, '/healthz')).toMatchObject({ status: 200, text: 'ok\n' });
  expect(await get(server.port, '/readyz')).toMatchObject({
    status: 503,
    text: 'waiting for the API server\nwaiting for the first lists\n',
  });
});

test('a process that only a new start would mend is not alive, and says why', async () => {
  await using server = await served({ problem: 'the lease has run out' });
  expect(await get(server.port, '/healthz')).toMatchObject({
    status: 500,
    text: 'the lease has run out\n',
  });
});

test('a process that waits for nothing is ready', async () => {
  await using server = await served();
  expect(await get(server.port, '/readyz?verbose')).toMatchObject({ status: 200, text: 'ok\n' });
});

test('the metrics are served as they were collected', async () => {
  await using server = await served();
  expect(await get(server.port, '/metrics')).toEqual({
    status: 200,
    text: 'visits_total 3\n',
    contentType: 'text/x-metrics',
  });
});

test('metrics that cannot be collected are an error of the server', async () => {
  await using server = await served({ metrics: () => Promise.reject(new Error('no')) });
  expect(await get(server.port, '/metrics')).toMatchObject({ status: 500 });
});

test.each(['/', '/health', '/metrics/', '/readyz/x'])('%s is not found', async (path) => {
  await using server = await served();
  expect(await get(server.port, path)).toMatchObject({ status: 404 });
});

test.each(['//', 'http://', '//:99999'])(
  'a request for %s, which is no path, does not bring the process down',
  async (target) => {
    await using server = await served();
    const socket = connect(server.port, '127.0.0.1');
    socket.end(`GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 4/u);
    expect(await get(server.port, '/healthz')).toMatchObject({ status: 200 });
  },
);

test('a port that is taken is an error at the start', async () => {
  await using server = await served();
  await expect(
    healthServer({ host: '127.0.0.1', port: server.port, waitingFor: () => [] }),
  ).rejects.toThrow('EADDRINUSE');
});

test('the health server closes at once, though a client still waits for its answer', async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const server = await served({
    metrics() {
      ask();
      return Promise.withResolvers<never>().promise;
    },
  });
  const outcome = Promise.allSettled([get(server.port, '/metrics')]);
  await asked;
  await server[Symbol.asyncDispose]();
  expect(await outcome).toMatchObject([{ status: 'rejected' }]);
  await expect(get(server.port, '/healthz')).rejects.toThrow('fetch failed');
});

test('the health server without a host answers on IPv4, and on IPv6 if the machine has IPv6', async ({
  skip,
}) => {
  const ipv6 = Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ address }) => address === '::1'),
  );
  await using server = await healthServer({ host: '', port: 0, waitingFor: () => [] });
  expect(await get(server.port, '/readyz')).toMatchObject({ status: 200 });
  skip(!ipv6, 'there is no ::1 here');
  expect((await fetch(`http://[::1]:${server.port}/readyz`)).status).toBe(200);
});
