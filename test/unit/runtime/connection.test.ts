import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { connection, type Credentials } from '../../../src/runtime/connection.ts';
import { kubernetesClient } from '../../../src/runtime/kubernetes-client.ts';
import { KubernetesError } from '../../../src/runtime/kubernetes-error.ts';
import { resourceKey } from '../../../src/runtime/kubernetes-object.ts';
import { leases } from '../../../src/runtime/lease.ts';

/** An API server that knows no object. */
async function emptyServer(): Promise<URL> {
  const missing = { kind: 'Status', details: { kind: 'leases', name: 'orders' } };
  const server = createServer((_request, response) =>
    response.writeHead(404).end(JSON.stringify(missing)),
  );
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return new URL(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
}

/** The result of a read, with credentials that the test supplies. */
function reading(url: URL, credentials: () => Promise<Credentials>) {
  const link = connection({
    apiServer: () => ({ url, credentials }),
    stallMs: 10_000,
    intercept: (dispatch) => dispatch,
  });
  onTestFinished(() => link[Symbol.asyncDispose]());
  const client = kubernetesClient({
    connection: link,
    fieldManager: 'a-test',
    userAgent: 'a-test',
  });
  const read = () =>
    client.get(leases, resourceKey('shop', 'orders')).then(
      (found) => found ?? 'no object',
      (error: unknown) => (error instanceof KubernetesError ? error.kind : error),
    );
  return { link, read };
}

test('reads of credentials that end in another order than they began leave no request without a connection', async () => {
  const reads: ((read: Credentials) => void)[] = [];
  const { link, read } = reading(
    await emptyServer(),
    () => new Promise((resolve) => void reads.push(resolve)),
  );
  const first = read();
  link.distrust();
  const second = read();
  reads[1]?.({ tls: { servername: 'new' }, headers: {} });
  expect(await second).toBe('no object');
  reads[0]?.({ tls: { servername: 'old' }, headers: {} });
  expect(await first).toBe('no object');
  expect([await read(), await read()]).toEqual(['no object', 'no object']);
});

test('a certificate that cannot be read is a failure of the connection, not a refusal by the server', async () => {
  const tls = { cert: '-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----', key: 'none' };
  const { read } = reading(new URL('https://127.0.0.1:1'), () =>
    Promise.resolve({ tls, headers: {} }),
  );
  expect(await read()).toBe('network');
});
