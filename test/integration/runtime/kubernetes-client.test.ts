import { inspect } from 'node:util';
import { expect, inject, test } from 'vitest';
import { connection } from '../../../src/runtime/connection.ts';
import { kubernetesClient } from '../../../src/runtime/kubernetes-client.ts';
import { KubernetesError } from '../../../src/runtime/kubernetes-error.ts';
import { kubeconfig } from '../../../src/runtime/kubeconfig.ts';
import { resourceKey, type ResourceType } from '../../../src/runtime/kubernetes-object.ts';
import { kubeconfigFor, kubeconfigText } from '../../control-plane/kubeconfig.ts';
import { configMaps, linked, namespaces, shop } from './cluster.ts';
import { tcpProxy } from '../../support/tcp-proxy.ts';
import { answering, requests } from './watch-requests.ts';

/** The error of a failed call. */
async function failure(call: Promise<unknown>): Promise<KubernetesError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof KubernetesError) return error;
  throw new Error(`no KubernetesError, but ${inspect(error)}`);
}

test('an absent object is undefined to a get, and an error to a patch or a delete', async () => {
  await using there = await shop();
  const { client, key } = there;
  expect(await client.get(configMaps, key('orders'))).toBeUndefined();
  expect(await failure(client.patch(configMaps, key('orders'), {}))).toMatchObject({
    kind: 'notFound',
    status: 404,
  });
  const error = await failure(client.delete(configMaps, key('orders')));
  expect(error).toMatchObject({ kind: 'notFound', status: 404 });
  expect(error.message).toBe(
    `delete configmaps ${key('orders')}: notFound (404): configmaps "orders" not found`,
  );
});

test('a create of an existing name is alreadyExists, not conflict', async () => {
  await using there = await shop();
  await there.create('orders');
  expect(await failure(there.create('orders'))).toMatchObject({ kind: 'alreadyExists' });
});

test('a write to an outdated version is a conflict', async () => {
  await using there = await shop();
  const { client, key } = there;
  const old = await there.create('orders', '1');
  await there.update('orders', '2');
  const { resourceVersion } = old.metadata;
  for (const write of [
    () => client.replace(configMaps, key('orders'), { ...old, data: { value: '3' } }),
    () =>
      client.patch(configMaps, key('orders'), {
        metadata: { resourceVersion },
        data: { value: '3' },
      }),
    () => client.delete(configMaps, key('orders'), { resourceVersion }),
  ])
    expect(await failure(write())).toMatchObject({ kind: 'conflict', status: 409 });
  expect((await client.get(configMaps, key('orders')))?.data).toEqual({ value: '2' });
});

test('a write with the uid of a deleted object does not change its successor', async () => {
  await using there = await shop();
  const { client, key } = there;
  const { metadata } = await there.create('orders', '1');
  await there.remove('orders');
  await there.create('orders', '2');
  const { uid } = metadata;
  const patch = client.patch(configMaps, key('orders'), {
    metadata: { uid },
    data: { value: '3' },
  });
  expect(await failure(patch)).toMatchObject({ kind: 'conflict', status: 422, isRefusal: false });
  expect(await failure(client.delete(configMaps, key('orders'), { uid }))).toMatchObject({
    kind: 'conflict',
  });
  expect((await client.get(configMaps, key('orders')))?.data).toEqual({ value: '2' });
});

test('a list with a limit comes in pages', async () => {
  await using there = await shop();
  for (const name of ['a', 'b', 'c']) await there.create(name);
  const { client, namespace } = there;
  const select = { namespace, labelSelector: 'part=test', limit: 2 };
  const first = await client.list(configMaps, select);
  const second = await client.list(configMaps, { ...select, continue: first.continue });
  expect([first, second].map(({ items }) => items.map(({ metadata }) => metadata.name))).toEqual([
    ['a', 'b'],
    ['c'],
  ]);
  expect(second.continue).toBeUndefined();
});

test('a request for metadata gets nothing else, whatever the method', async () => {
  await using there = await shop();
  const { client, key, namespace } = there;
  await there.create('orders', 'a secret value');
  const raw: ResourceType<unknown> = { ...configMaps, metadataOnly: true, parse: (value) => value };
  const answers = [
    await client.get(raw, key('orders')),
    await client.list(raw, { namespace, labelSelector: 'part=test', limit: 1 }),
    await client.patch(raw, key('orders'), { metadata: { labels: { seen: 'true' } } }),
  ];
  for (const answer of answers) expect(JSON.stringify(answer)).toContain('"name":"orders"');
  expect(JSON.stringify(answers)).not.toContain('secret value');
});

test('a value that the server refuses is invalid', async () => {
  await using there = await shop();
  expect(await failure(there.create('Not_A_Name'))).toMatchObject({ kind: 'invalid', status: 422 });
});

test('a create in a namespace that is being deleted fails, and the error says so', async () => {
  await using there = await shop();
  const { client, namespace, key } = there;
  await there.create('orders');
  await client.patch(configMaps, key('orders'), { metadata: { finalizers: ['test/hold'] } });
  await client.delete(namespaces, resourceKey(undefined, namespace));
  expect(await failure(there.create('carts'))).toMatchObject({
    kind: 'forbidden',
    namespaceTerminating: true,
  });
  await client.patch(configMaps, key('orders'), { metadata: { finalizers: null } });
});

test('a call without an answer ends at its deadline', async () => {
  await using proxy = await tcpProxy(inject('controlPlane').server);
  proxy.silenceNew();
  await using link = linked({ server: proxy.url });
  const begunAt = performance.now();
  expect(await failure(link.client.list(namespaces, { timeoutMs: 100 }))).toMatchObject({
    kind: 'timeout',
    operation: 'list namespaces',
  });
  // Connecting may take 5 s, and must not make the deadline later.
  expect(performance.now() - begunAt).toBeLessThan(4_000);
});

test('an aborted call ends at once, sent or not', async () => {
  await using proxy = await tcpProxy(inject('controlPlane').server);
  await using link = linked({ server: proxy.url });
  expect(
    await failure(link.client.list(namespaces, { signal: AbortSignal.abort(new Error('stop')) })),
  ).toMatchObject({ kind: 'aborted' });
  await link.client.list(namespaces);
  proxy.silenceOpen();
  const abort = new AbortController();
  const call = failure(link.client.list(namespaces, { signal: abort.signal }));
  abort.abort(new Error('stop'));
  expect((await call).kind).toBe('aborted');
});

test('calls one after the other keep their connections, whatever the method', async () => {
  await using there = await shop();
  const { server } = inject('controlPlane');
  await using proxy = await tcpProxy(server);
  await using far = linked({ server: proxy.url });
  for (const name of ['orders', 'carts', 'bills', 'users']) {
    const made = await far.client.create(configMaps, there.namespace, { metadata: { name } });
    await far.client.patch(configMaps, there.key(name), { data: { value: '1' } });
    await far.client.get(configMaps, there.key(name));
    await far.client.delete(configMaps, there.key(name), { uid: made.metadata.uid });
  }
  // A call may begin a moment before the previous call frees its connection.
  expect(proxy.accepted).toBeLessThanOrEqual(2);
});

test('an unreachable server is a network error', async () => {
  await using proxy = await tcpProxy(inject('controlPlane').server);
  await using link = linked({ server: proxy.url });
  await proxy.cut();
  expect(await failure(link.client.list(namespaces))).toMatchObject({
    kind: 'network',
    cause: { code: 'ECONNREFUSED' },
  });
});

test.each([
  ['a list that is none', 200, { kind: 'Status' }, 'unreadable'],
  ['a server in trouble', 503, {}, 'server'],
  ['too many requests', 429, {}, 'tooManyRequests'],
])('%s is an error of its own', async (_what, status, body, kind) => {
  await using answer = await answering(status, [body], { 'retry-after': '7' });
  await using link = linked({ intercept: requests(() => ({ origin: answer.origin })).intercept });
  expect(await failure(link.client.list(configMaps))).toMatchObject({
    kind,
    operation: 'list configmaps',
  });
});

test('a list with an unreadable object returns the other objects, and the error', async () => {
  await using there = await shop();
  const { client, namespace } = there;
  for (const [name, value] of [
    ['a', '1'],
    ['b', 'odd'],
    ['c', '3'],
  ] as const)
    await there.create(name, value);
  const strict: typeof configMaps = {
    ...configMaps,
    parse(value) {
      const parsed = configMaps.parse(value);
      if (parsed.data?.['value'] === 'odd') throw new Error('odd');
      return parsed;
    },
  };
  const { items, unreadable } = await client.list(strict, {
    namespace,
    labelSelector: 'part=test',
  });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['a', 'c']);
  expect(unreadable).toMatchObject([{ kind: 'unreadable', operation: 'list configmaps' }]);
});

test('an unreadable object is an error that does not contain the object', async () => {
  await using there = await shop();
  await there.create('orders', 'a secret value');
  const strict = {
    ...configMaps,
    parse() {
      throw new Error('spec is missing');
    },
  };
  const error = await failure(there.client.get(strict, there.key('orders')));
  expect(error).toMatchObject({
    kind: 'unreadable',
    operation: `get configmaps ${there.key('orders')}`,
  });
  expect(inspect(error, { depth: Infinity })).not.toContain('a secret value');
});

test('errors about a Secret do not contain its content, whatever their origin', async () => {
  const password = 'cRq7-verySecret-91';
  const data = { password: Buffer.from(password).toString('base64') };
  const secret = { metadata: { name: 'orders-db' }, data };
  const quoted = `got ${JSON.stringify(secret)} alias ${Buffer.from(JSON.stringify(secret)).toString('base64')}`;
  const said = {
    kind: 'Status',
    status: 'Failure',
    code: 500,
    reason: `Because${password}`,
    message: `${'x'.repeat(490)}${password} ${quoted}`,
  };
  await using answer = await answering(500, [said]);
  await using link = linked({
    intercept: (dispatch) => (options, handler) =>
      dispatch({ ...options, origin: answer.origin }, handler),
  });
  const secrets = { ...configMaps, plural: 'secrets', kind: 'Secret' };
  const key = resourceKey('shop', 'orders-db');
  for (const write of [
    link.client.create(secrets, 'shop', secret),
    link.client.replace(secrets, key, secret),
    link.client.patch(secrets, key, { stringData: { password } }),
  ]) {
    const text = inspect(await failure(write), { depth: Infinity, showHidden: true });
    expect(text).toContain('[redacted]');
    expect(text).not.toContain(password.slice(0, 10));
    expect(text).not.toContain(data.password.slice(0, 10));
  }
});

test('unreadable credentials are an error of the call', async () => {
  const withoutPlugin = kubeconfigFor(inject('controlPlane'), { token: '' });
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: '/nowhere/plugin',
    interactiveMode: 'Never',
  };
  const text = JSON.stringify({ ...withoutPlugin, users: [{ name: 'user', user: { exec } }] });
  await using link = connection({
    apiServer: () => kubeconfig({ text }).apiServer(),
    stallMs: 70_000,
  });
  const client = kubernetesClient({ connection: link, fieldManager: 'test', userAgent: 'test' });
  expect(await failure(client.list(namespaces))).toMatchObject({
    kind: 'unauthorized',
    operation: 'list namespaces',
  });
});

test('refused credentials are read anew for the next call', async () => {
  const handle = inject('controlPlane');
  const tokens = ['outdated', handle.adminToken];
  await using link = connection({
    apiServer: () =>
      kubeconfig({
        text: kubeconfigText(kubeconfigFor(handle, { token: tokens.shift() ?? handle.adminToken })),
      }).apiServer(),
    stallMs: 70_000,
  });
  const client = kubernetesClient({ connection: link, fieldManager: 'test', userAgent: 'test' });
  expect(await failure(client.list(namespaces))).toMatchObject({
    kind: 'unauthorized',
    status: 401,
  });
  expect((await client.list(namespaces)).items.length).toBeGreaterThan(0);
});

test('no error contains the token, at any depth', async () => {
  await using there = await shop();
  await using proxy = await tcpProxy(inject('controlPlane').server);
  await using broken = await answering(500, [{}]);
  const wrong = 'wrong-token-9f8e7d6c5b4a';
  const token = inject('controlPlane').adminToken;
  await using refused = linked({ token: wrong });
  await using unsendable = linked({ token: `${wrong}\u0000` });
  await using good = linked({ server: proxy.url });
  await using failing = linked({
    intercept: requests(() => ({ origin: broken.origin })).intercept,
  });
  const errors = [
    await failure(refused.client.list(namespaces)),
    await failure(unsendable.client.list(namespaces)),
    await failure(failing.client.list(namespaces)),
    await failure(good.client.create(configMaps, there.namespace, {})),
  ];
  proxy.silenceOpen();
  proxy.silenceNew();
  errors.push(await failure(good.client.list(namespaces, { timeoutMs: 100 })));
  const call = failure(good.client.list(namespaces));
  await proxy.cut();
  errors.push(await call, await failure(good.client.list(namespaces)));
  for (const error of errors) {
    const text = `${error.stack} ${JSON.stringify(error)} ${inspect(error, { depth: Infinity, showHidden: true })}`;
    expect(text).not.toContain(wrong);
    expect(text).not.toContain(token);
  }
});

test('a write that is no longer allowed when it gets a connection is not sent, and reads continue', async () => {
  await using there = await shop();
  const { metadata } = await there.create('orders', '1');
  const lease = { held: true, endsInTime: true };
  // As with a process that is frozen while its request waits for a connection.
  await using link = linked({
    intercept: (dispatch) => (options, handler) => {
      if (lease.endsInTime && options.method !== 'GET') lease.held = false;
      return dispatch(options, handler);
    },
  });
  const client = kubernetesClient({
    connection: link.link,
    fieldManager: 'test',
    userAgent: 'test',
    mayWrite: () => lease.held,
  });
  const body = { metadata: { ...metadata, name: 'carts' } };
  for (const write of [
    () => client.create(configMaps, there.namespace, { metadata: { name: 'carts' } }),
    () => client.patch(configMaps, there.key('orders'), { data: { value: '2' } }),
    () => client.replace(configMaps, there.key('orders'), { ...body, metadata }),
    () => client.delete(configMaps, there.key('orders')),
  ]) {
    lease.held = true;
    expect(await failure(write())).toMatchObject({ kind: 'aborted' });
  }
  expect(lease.held).toBe(false);
  expect((await client.get(configMaps, there.key('orders')))?.data).toEqual({ value: '1' });
  expect(await client.get(configMaps, there.key('carts'))).toBeUndefined();
  lease.held = true;
  lease.endsInTime = false;
  await client.patch(configMaps, there.key('orders'), { data: { value: '2' } });
  expect((await client.get(configMaps, there.key('orders')))?.data).toEqual({ value: '2' });
});
