import { inspect } from 'node:util';
import { createServer as createTlsServer } from 'node:tls';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { cloudClient, type CloudClientOptions } from '../../../src/cloud/cloud-client.ts';
import { orCloudError } from '../../../src/cloud/cloud-error.ts';
import { projectId } from '../../../src/cloud/wire/account.ts';
import { serviceId } from '../../../src/cloud/wire/service.ts';
import { cloudErrorOf } from './cloud-error-of.ts';
import { json, rawPeer, scriptedPeer, text } from './scripted-peer.ts';

const project = projectId.parse('prj7');
const service = serviceId.parse('s1');
const newService = { name: 'orders' };

async function withClient<R>(
  baseUrl: URL,
  run: (api: ReturnType<typeof cloudClient>) => Promise<R>,
  options: Partial<CloudClientOptions> = {},
): Promise<R> {
  await using api = cloudClient({ baseUrl, apiKey: 'key-1', ...options });
  return await run(api);
}

const say = (bytes: string) => (socket: Socket) => void socket.write(bytes);
const reset = (socket: Socket) => void socket.resetAndDestroy();
const close = (socket: Socket) => void socket.end();

test('a refused connection: not sent', async () => {
  const gone = await rawPeer(() => {});
  await gone[Symbol.asyncDispose]();
  const error = await withClient(gone.url, (api) =>
    cloudErrorOf(api.project(project).createService(newService)),
  );
  expect(error).toMatchObject({ kind: 'network', sent: false, changedNothing: true });
  expect(error.message).toContain('ECONNREFUSED');
});

test('an unknown host: not sent', async () => {
  const error = await withClient(new URL('http://cloud.invalid'), (api) =>
    cloudErrorOf(api.project(project).createService(newService)),
  );
  expect(error).toMatchObject({ kind: 'network', sent: false, changedNothing: true });
});

test('a TLS handshake that fails: not sent', async () => {
  // A server without a certificate.
  const server = createTlsServer({}, (socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const error = await withClient(new URL(`https://127.0.0.1:${port}`), (api) =>
    cloudErrorOf(api.project(project).createService(newService)),
  );
  server.close();
  expect(error).toMatchObject({ kind: 'network', sent: false, changedNothing: true });
});

test('TLS that the peer ends early: not sent', async () => {
  await using peer = await rawPeer(close);
  const https = new URL(peer.url.href.replace('http:', 'https:'));
  const error = await withClient(https, (api) =>
    cloudErrorOf(api.project(project).createService(newService)),
  );
  expect(error).toMatchObject({ kind: 'network', sent: false, changedNothing: true });
});

test.each([
  ['a reset after sending', reset],
  ['a connection closed after sending', close],
  [
    'half a body',
    (socket: Socket) =>
      void socket.end('HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\n{"service_id":'),
  ],
  ['a reply that is not HTTP', say('SSH-2.0-OpenSSH_9.6\r\n\r\n')],
])('%s: sent, and what came of it is open', async (_what, behave) => {
  await using peer = await rawPeer(behave);
  const error = await withClient(peer.url, (api) =>
    cloudErrorOf(api.project(project).createService(newService)),
  );
  expect(error).toMatchObject({
    kind: 'network',
    sent: true,
    fromApi: false,
    changedNothing: false,
  });
  expect(peer.connections(), 'nothing is repeated').toBe(1);
});

test.each([
  ['no headers', () => {}],
  ['a body that stalls', say('HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\n{"service_id":')],
  ['an error whose body stalls', say('HTTP/1.1 500 Oh\r\ncontent-length: 100\r\n\r\n{"mess')],
])('%s: the deadline ends the call, and it counts as sent', async (_what, behave) => {
  await using peer = await rawPeer(behave);
  const error = await withClient(peer.url, (api) =>
    cloudErrorOf(api.project(project).createService(newService, { timeoutMs: 500 })),
  );
  expect(error).toMatchObject({ kind: 'timeout', sent: true, changedNothing: false });
});

test('the caller ends a call at once, also while the body stalls', async () => {
  const caller = new AbortController();
  await using peer = await rawPeer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{');
    setImmediate(() => caller.abort());
  });
  const error = await withClient(peer.url, (api) =>
    cloudErrorOf(api.project(project).getService(service, { signal: caller.signal })),
  );
  expect(error).toMatchObject({ kind: 'aborted', sent: true });
});

test('a call that was ended before it began opens no connection', async () => {
  await using peer = await rawPeer(() => {});
  const signal = AbortSignal.abort();
  const error = await withClient(peer.url, (api) =>
    cloudErrorOf(api.project(project).createService(newService, { signal })),
  );
  expect(error).toMatchObject({ kind: 'aborted', sent: false, changedNothing: true });
  expect(peer.connections()).toBe(0);
});

test('a request that may not be sent any more writes no byte, and the next one goes', async () => {
  await using peer = await rawPeer(
    say('HTTP/1.1 201 Created\r\ncontent-length: 18\r\n\r\n{"service_id":"a"}'),
  );
  await withClient(peer.url, async (api) => {
    let asked = 0;
    const mayBeSent = () => {
      asked += 1;
      return false;
    };
    const error = await cloudErrorOf(api.project(project).createService(newService, { mayBeSent }));
    expect(error).toMatchObject({ kind: 'aborted', sent: false, changedNothing: true });
    expect(
      await cloudErrorOf(api.project(project).startService(service, { mayBeSent })),
    ).toMatchObject({ kind: 'aborted', sent: false });
    expect(asked).toBe(2);
    expect(peer.connections(), 'it was asked when the connection stood').toBeGreaterThan(0);
    expect(peer.bytes()).toBe(0);
    expect(
      await api.project(project).createService(newService, { mayBeSent: () => true }),
    ).toMatchObject({ service_id: 'a' });
  });
});

test('a request whose call ended while it waited for its connection is not sent when that stands', async () => {
  await using peer = await rawPeer(() => {});
  let dispatched: (() => void) | undefined;
  await withClient(
    peer.url,
    async (api) => {
      const error = await cloudErrorOf(
        api.project(project).createService(newService, { timeoutMs: 20 }),
      );
      expect(error).toMatchObject({ kind: 'timeout', sent: false, changedNothing: true });
      dispatched?.();
      await expect.poll(() => peer.connections()).toBe(1);
      // A second request on the same way shows that the first had its chance.
      await cloudErrorOf(api.project(project).getService(service, { timeoutMs: 100 }));
      expect(peer.connections()).toBe(1);
      expect(peer.bytes()).toBe(0);
    },
    {
      intercept: (dispatch) => (request, handler) => {
        // A slow connection: it is dispatched when the call is long over.
        dispatched = () => void dispatch(request, handler);
        return true;
      },
    },
  );
});

test('an interceptor of the network sees every request and can swallow it', async () => {
  await using peer = await scriptedPeer(json(200, []));
  const seen: string[] = [];
  await withClient(peer.url, (api) => api.project(project).listVpcs(), {
    intercept: (dispatch) => (request, handler) => {
      seen.push(`${request.method} ${request.path}`);
      return dispatch(request, handler);
    },
  });
  expect(seen).toEqual(['GET /projects/prj7/vpcs']);
});

test.each([
  ['http://h/base', '/base/auth/info'],
  ['http://h/base/', '/base/auth/info'],
  ['http://h/a%20b/c//?q=1#f', '/a%20b/c/auth/info'],
  ['http://h', '/auth/info'],
])('the base URL %s is joined, not replaced', async (base, path) => {
  const paths: string[] = [];
  await withClient(
    new URL(base),
    (api) => cloudErrorOf(api.getCredentialsInfo({ timeoutMs: 10 })),
    {
      intercept: () => (request, _handler) => {
        paths.push(request.path);
        return true;
      },
    },
  );
  expect(paths).toEqual([path]);
});

test.each(['..', '.', '\uD800'])(
  'an id that cannot stand in a path is not sent: %j',
  async (id) => {
    await using peer = await rawPeer(() => {});
    const error = await withClient(peer.url, (api) =>
      cloudErrorOf(api.project(project).deleteService(serviceId.parse(id))),
    );
    expect(error).toMatchObject({ kind: 'invalid', sent: false });
    expect(peer.connections()).toBe(0);
  },
);

test('a key that cannot stand in a header is not sent and not shown', async () => {
  await using peer = await rawPeer(() => {});
  const error = await withClient(peer.url, (api) => cloudErrorOf(api.getCredentialsInfo()), {
    apiKey: 'geheim\r\nx: y',
  });
  expect(error).toMatchObject({ kind: 'unauthorized', sent: false });
  expect(inspect(error, { depth: 10 })).not.toContain('geheim');
});

test('a huge error page is an error, and only its beginning is read', async () => {
  await using peer = await scriptedPeer(text(502, 'x'.repeat(5_000_000)));
  const error = await withClient(peer.url, (api) =>
    cloudErrorOf(api.project(project).listServices()),
  );
  expect(error).toMatchObject({ kind: 'server', status: 502, fromApi: false });
});

test('a long message with control characters becomes one line of at most 1,000 characters', async () => {
  await using peer = await scriptedPeer(
    json(400, { code: 'bad', message: `bad\r\n\u001b[31mname\u0000\u202e ${'y'.repeat(2_000)}` }),
  );
  const { cloudMessage = '' } = await withClient(peer.url, (api) =>
    cloudErrorOf(api.project(project).listServices()),
  );
  expect(cloudMessage).toMatch(/^bad \[31mname y+…$/u);
  expect(cloudMessage).toHaveLength(1_000);
});

test.each([
  ['7', 7_000],
  ['1.5', 1_500],
  ['0', 0],
  ['Wed, 21 Oct 2026 07:28:30 GMT', 30_000],
  ['Wed, 21 Oct 2026 07:00:00 GMT', 0],
  ['3600', 600_000],
  ['9999999999', 600_000],
  ['Thu, 22 Oct 2026 07:28:00 GMT', 600_000],
  ['soon', undefined],
])('Retry-After %s asks to wait %s ms', async (header, expected) => {
  await using peer = await scriptedPeer(
    json(
      429,
      { code: 'slow', message: 'slow' },
      { 'retry-after': header, date: 'Wed, 21 Oct 2026 07:28:00 GMT' },
    ),
  );
  const error = await withClient(peer.url, (api) =>
    cloudErrorOf(api.project(project).listServices()),
  );
  expect(error).toMatchObject({
    kind: 'rateLimited',
    retryAfterMs: expected,
    changedNothing: true,
  });
});

test('an unknown field is dropped', async () => {
  await using peer = await scriptedPeer(
    json(200, [{ service_id: 'a', token: 'geheim', endpoint: { host: 'h', scheme: 'geheim' } }]),
  );
  const listed = await withClient(peer.url, (api) => api.project(project).listServices());
  expect(listed).toEqual([{ service_id: 'a', endpoint: { host: 'h' } }]);
});

test('an unknown enum value is accepted, and a null is an absent field', async () => {
  await using peer = await scriptedPeer(
    json(200, {
      service_id: service,
      status: 'HIBERNATING',
      endpoint: null,
      service_type: 'GRAPH',
    }),
  );
  const read = await withClient(peer.url, (api) => api.project(project).getService(service));
  expect(read).toEqual({
    service_id: service,
    status: 'HIBERNATING',
    endpoint: undefined,
    service_type: 'GRAPH',
  });
});

test.each([
  ['ok', 202],
  ['conflict', 409],
])('a call is observed with its outcome: %s', async (outcome, status) => {
  await using peer = await scriptedPeer(json(status, { code: 'busy', message: 'busy' }));
  const observed: unknown[] = [];
  await withClient(peer.url, (api) => orCloudError(api.project(project).startService(service)), {
    onCall: (one) => observed.push(one),
  });
  expect(observed).toMatchObject([{ operation: 'startService', outcome, status }]);
});

test('a client that was closed sends nothing more', async () => {
  await using peer = await scriptedPeer(json(200, []));
  const api = cloudClient({ baseUrl: peer.url, apiKey: 'key-1' });
  await api[Symbol.asyncDispose]();
  expect(await cloudErrorOf(api.project(project).listVpcs())).toMatchObject({
    kind: 'aborted',
    sent: false,
  });
  expect(await cloudErrorOf(api.project(project).createService(newService))).toMatchObject({
    kind: 'aborted',
    sent: false,
  });
});
