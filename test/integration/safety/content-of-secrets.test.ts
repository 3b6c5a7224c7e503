import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { connectionLabel, credentialsLabel } from '../../../src/resources/annotations.ts';
import { resourceKey } from '../../../src/runtime/index.ts';
import { secretMetadata } from '../../../src/resources/secret-metadata.ts';
import { replicaSet, service, vpc } from '../../support/manifests.ts';
import { received } from '../../support/received.ts';
import { until } from '../../support/until.ts';
import { untilSecret } from '../../support/until-secret.ts';
import { ledgerNamespace, startWorld } from '../../support/world.ts';

/** The content of a Secret reaches the process when it is needed, and only then. */

const sent = (name: string) => Buffer.from(`the content of ${name}`).toString('base64');

test.each([
  ['credentials', credentialsLabel],
  ['connections', connectionLabel],
])(
  'the content that others put into labelled Secrets for %s never reaches the operator',
  async (_what, label) => {
    await using world = await startWorld({ start: false });
    const wire = received();
    const content = (name: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, labels: { [label]: 'true' } },
      stringData: { content: `the content of ${name}` },
    });
    await world.apply(content('before'), content('going'));
    await world.startedOperator({ intercept: wire.intercept });
    await world.apply(content('later'), vpc('prod'));
    await world.kubernetes.delete(secretMetadata, resourceKey(world.namespace, 'going'));
    await world.untilReady('vpc', 'prod');
    await until('the watch to tell of it', () => wire.text().includes('"name":"later"'));
    for (const name of ['before', 'going', 'later']) {
      expect(wire.text()).toContain(`"name":"${name}"`);
      expect(wire.text()).not.toContain(sent(name));
    }
  },
);

/** Counts the reads of single Secrets, in all namespaces, and the creations of connection Secrets. */
function countedReads() {
  const counts = { connection: 0, ledger: 0, created: 0 };
  const intercept: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    const isLedger = options.path.includes(`/${ledgerNamespace}/`);
    if (/\/secrets\/[^/?]+/u.test(options.path) && options.method === 'GET')
      counts[isLedger ? 'ledger' : 'connection'] += 1;
    if (options.method === 'POST' && options.path.endsWith('/secrets') && !isLedger)
      counts.created += 1;
    return dispatch(options, handler);
  };
  return { counts, intercept };
}

test('the operator does not read back a connection Secret that it wrote, and reads a Secret that a user changed once', async () => {
  await using world = await startWorld({ start: false });
  const { counts, intercept } = countedReads();
  await world.startedOperator({ intercept });
  await world.applyUntilReady(service('orders'));
  await world.sync('service', 'orders');
  expect(counts).toEqual({ connection: 0, ledger: 0, created: 1 });
  await world.kubectl(['label', 'secret', 'orders-db', 'team=shop']);
  await until('the Secret to be read', () => counts.connection > 0);
  await world.sync('service', 'orders');
  await world.sync('service', 'orders');
  expect(counts).toEqual({ connection: 1, ledger: 1, created: 1 });
});

test('a restart over Ready services reads no Secret, and no password reaches the process', async () => {
  await using world = await startWorld();
  await world.apply(service('orders'), replicaSet('reads', 'orders'), replicaSet('more', 'orders'));
  for (const name of ['reads', 'more']) await world.untilReady('replicaSet', name);
  const password = (await world.secret('orders-db'))?.['password'] ?? '';
  for (const name of ['reads', 'more'])
    await untilSecret(world, `${name}-replicas-db`, { password });
  await world.stopOperators();
  const { counts, intercept } = countedReads();
  const wire = received();
  await world.startedOperator({ intercept: (dispatch) => intercept(wire.intercept(dispatch)) });
  for (const name of ['reads', 'more']) await world.sync('replicaSet', name);
  await world.sync('service', 'orders');
  await world.sync('service', 'orders');
  expect(counts).toEqual({ connection: 0, ledger: 0, created: 0 });
  const entry = await world.entry('orders');
  expect([
    wire.text().includes(entry?.metadata.name ?? 'none'),
    entry?.data['password'] === password,
  ]).toEqual([true, true]);
  for (const text of [password, Buffer.from(password).toString('base64')])
    expect(wire.text()).not.toContain(text);
});
