import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { connectionLabel, credentialsLabel } from '../../../src/resources/annotations.ts';
import { resourceKey } from '../../../src/runtime/index.ts';
import { secretMetadata } from '../../../src/resources/secret-metadata.ts';
import { replicaSet, service, vpc } from '../../support/manifests.ts';
import { received } from '../../support/received.ts';
import { until } from '../../support/until.ts';
import { untilSecret } from '../../support/until-secret.ts';
import { startWorld } from '../../support/world.ts';

/** The content of a Secret reaches the process when it is needed, and only then. */

const sent = (name: string) => Buffer.from(`the content of ${name}`).toString('base64');

test.each([
  ['credentials', credentialsLabel],
  ['connections', connectionLabel],
])('the content that others put into labelled Secrets for %s never reaches the operator', async (_what, label) => {
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
});

/** Counts how often Secrets of that kind of name are read one by one. */
function countedReads(isCounted: (name: string) => boolean) {
  const counts = { reads: 0, writes: 0 };
  const intercept: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    const name = /\/secrets\/([^/?]+)/u.exec(options.path)?.[1];
    if (name !== undefined && isCounted(name) && options.method === 'GET') counts.reads += 1;
    if (options.method === 'POST' && options.path.includes('/secrets')) counts.writes += 1;
    return dispatch(options, handler);
  };
  return { counts, intercept };
}

test('the operator does not read back a connection Secret that it wrote, and reads one that somebody changed once', async () => {
  await using world = await startWorld({ start: false });
  const own = countedReads((name) => name === 'orders-db');
  let readsBefore = 0;
  const noted: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    // Before there is one, it is made sure that there is none.
    if (options.method === 'POST' && options.path.includes('/secrets')) readsBefore = own.counts.reads;
    return dispatch(options, handler);
  };
  await world.startedOperator({ intercept: (dispatch) => own.intercept(noted(dispatch)) });
  await world.applyUntilReady(service('orders'));
  await world.sync('service', 'orders');
  expect([own.counts.writes, own.counts.reads - readsBefore]).toEqual([1, 0]);
  await world.kubectl(['label', 'secret', 'orders-db', 'team=shop']);
  await until('it to be read', () => own.counts.reads > readsBefore);
  await world.sync('service', 'orders');
  await world.sync('service', 'orders');
  expect(own.counts.reads - readsBefore).toBe(1);
});

test('after a restart each connection Secret of the operator is read once, whoever needs it', async () => {
  await using world = await startWorld();
  await world.apply(service('orders'), replicaSet('reads', 'orders'), replicaSet('more', 'orders'));
  for (const name of ['reads', 'more']) await world.untilReady('replicaSet', name);
  await untilSecret(world, 'more-replicas-db', { password: (await world.secret('orders-db'))?.['password'] ?? '' });
  await world.stopOperators();
  const all = countedReads(() => true);
  await world.startedOperator({ intercept: all.intercept });
  for (const name of ['reads', 'more']) await world.sync('replicaSet', name);
  await world.sync('service', 'orders');
  await world.sync('service', 'orders');
  expect([all.counts.reads, all.counts.writes]).toEqual([3, 0]);
});
