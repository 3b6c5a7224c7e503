import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, test } from 'vitest';
import { cloudClient } from '../../../src/cloud/cloud-client.ts';
import type { EgressProxy } from '../../../src/cloud/egress.ts';
import { projectId } from '../../../src/cloud/wire/account.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { behindTls } from '../../support/behind-tls.ts';
import { certificateFor } from '../../support/certificate.ts';
import { connectProxy, type ConnectProxy } from '../../support/connect-proxy.ts';
import { cloudErrorOf } from './cloud-error-of.ts';

/** The cloud by https under a name that only the proxy knows. The system does not trust its certificate. */
async function cloudBehindProxy({ isTrusted = true } = {}) {
  const stack = new AsyncDisposableStack();
  const tls = await certificateFor('cloud.test');
  const ofSystem = getCACertificates('default');
  if (isTrusted) setDefaultCACertificates([...ofSystem, tls.cert]);
  stack.defer(() => setDefaultCACertificates(ofSystem));
  const simulator = stack.use(await startSimulator({ latencyMs: 0 }));
  const { id, apiKey } = simulator.addProject();
  const front = stack.use(await behindTls(simulator.url, tls));
  const proxy = stack.use(await connectProxy());
  return {
    front,
    proxy,
    project: projectId.parse(id),
    origin: `cloud.test:${front.port}`,
    client: (proxied: Partial<EgressProxy> = {}, host = 'cloud.test') => {
      const baseUrl = new URL(`https://${host}:${front.port}`);
      return stack.use(
        cloudClient({ baseUrl, apiKey, proxy: { url: proxy.url, noProxy: '', ...proxied } }),
      );
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const vpc = { name: 'prod', cidr: '10.0.0.0/16', region_code: 'eu-central-1' };

test('calls go through a tunnel of the proxy: reads share one, and creates share another', async () => {
  await using cloud = await cloudBehindProxy();
  const client = cloud.client();
  for (let times = 0; times < 6; times++) await client.project(cloud.project).listVpcs();
  const forReads = cloud.proxy.asked.length;
  expect(forReads).toBeLessThan(4);
  for (let times = 0; times < 6; times++) await client.project(cloud.project).createVpc(vpc);
  const forCreates = cloud.proxy.asked.length - forReads;
  expect(forCreates).toBeGreaterThan(0);
  expect(forCreates).toBeLessThan(4);
  expect(new Set(cloud.proxy.asked)).toEqual(new Set([`CONNECT ${cloud.origin}`]));
  expect(cloud.front.asked.filter((asked) => asked.startsWith('POST'))).toHaveLength(6);
});

test.each<[ConnectProxy['answer'], RegExp]>([
  ['forbidden', /403/u],
  ['hangUp', /./u],
  ['silent', /./u],
])(
  'a create whose tunnel is %s was not sent, and the cloud hears nothing of it',
  { timeout: 60_000 },
  async (answer, words) => {
    await using cloud = await cloudBehindProxy();
    cloud.proxy.answer = answer;
    const client = cloud.client();
    const error = await cloudErrorOf(client.project(cloud.project).createVpc(vpc));
    expect([error.kind, error.sent, error.changedNothing]).toEqual(['network', false, true]);
    expect(error.message).toMatch(words);
    expect(cloud.front.asked).toEqual([]);
    expect(new Set(cloud.proxy.asked)).toEqual(new Set([`CONNECT ${cloud.origin}`]));
    // Nothing is queued that a tunnel would carry out later.
    cloud.proxy.answer = 'tunnel';
    await client.project(cloud.project).listVpcs();
    expect(cloud.front.asked).toEqual([expect.stringMatching(/^GET /u)]);
  },
);

test('a create that must not go out any more is held back when the tunnel stands', async () => {
  await using cloud = await cloudBehindProxy();
  const error = await cloudErrorOf(
    cloud
      .client()
      .project(cloud.project)
      .createVpc(vpc, { mayBeSent: () => cloud.proxy.asked.length === 0 }),
  );
  expect([error.kind, error.sent]).toEqual(['aborted', false]);
  expect([cloud.proxy.asked.length, cloud.front.asked]).toEqual([1, []]);
});

test('a call that is given up while its tunnel is dug was not sent', async () => {
  await using cloud = await cloudBehindProxy();
  cloud.proxy.answer = 'silent';
  const error = await cloudErrorOf(
    cloud.client().project(cloud.project).createVpc(vpc, { timeoutMs: 500 }),
  );
  expect([error.kind, error.sent]).toEqual(['timeout', false]);
});

test('user and password of the proxy are sent to the proxy alone', async () => {
  await using cloud = await cloudBehindProxy();
  const url = cloud.proxy.url.replace('http://', 'http://ops:s3cret-word@');
  const client = cloud.client({ url });
  await client.project(cloud.project).listVpcs();
  expect(cloud.proxy.credentials).toEqual(['ops:s3cret-word']);
  cloud.proxy.answer = 'forbidden';
  const error = await cloudErrorOf(client.project(cloud.project).createVpc(vpc));
  expect([error.message, String(error.cause), error.stack].join(' ')).not.toContain('s3cret-word');
});

test.each<[string, string, string, readonly string[]]>([
  ['a host that NO_PROXY names is reached without the proxy', 'cloud.test', 'cloud.test', []],
  [
    'a host on the local machine is reached without the proxy, as with curl and Go',
    '127.0.0.1',
    '',
    [],
  ],
  [
    'a host that NO_PROXY does not name is reached through the proxy',
    'cloud.test',
    'other.test,.example.com',
    ['CONNECT cloud.test'],
  ],
])('%s', async (_, host, noProxy, asked) => {
  await using cloud = await cloudBehindProxy();
  // Straight, the name leads nowhere, and the certificate is of another name.
  await cloud
    .client({ url: cloud.proxy.url, noProxy }, host)
    .project(cloud.project)
    .listVpcs()
    .catch(() => undefined);
  expect(cloud.proxy.asked.map((each) => each.replace(/:\d+$/u, ''))).toEqual(asked);
});

test('a client does not trust a cloud with a private CA that the process does not trust', async () => {
  await using cloud = await cloudBehindProxy({ isTrusted: false });
  const error = await cloudErrorOf(cloud.client().project(cloud.project).createVpc(vpc));
  expect([error.kind, error.sent]).toEqual(['network', false]);
  expect(error.message).toContain('self-signed');
});
