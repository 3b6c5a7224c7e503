import { expect, inject, test } from 'vitest';
import { catchUp } from '../../../src/runtime/kept-caches.ts';
import { missingLists } from '../../../src/runtime/reflector.ts';
import { tcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';
import {
  type ConfigMap,
  configMaps,
  follow,
  type Follower,
  linked,
  shop,
  type Shop,
} from './cluster.ts';

const never = new AbortController().signal;
const labelSelector = 'part=test';
const quiet = () => undefined;
const missing = missingLists({ debug: quiet, info: quiet, warn: quiet, error: quiet });

/** Whether a cache has caught up, as asked with a client whose network is healthy. */
function caughtUp({ namespace, client }: Shop, { cache }: Follower, signal = never) {
  const state = { isDone: false };
  const done = catchUp<ConfigMap>(
    { type: configMaps, namespace, labelSelector, cache, client, missing },
    signal,
  ).finally(() => {
    state.isDone = true;
  });
  return { state, done };
}

test('an up-to-date cache is recognized at once, without waiting for a bookmark', async () => {
  await using there = await shop();
  await there.create('orders', '1');
  await using link = linked();
  await using follower = follow({ ...link, namespace: there.namespace });
  await follower.untilHolds({ orders: '1' });
  const begunAt = performance.now();
  await caughtUp(there, follower).done;
  expect(performance.now() - begunAt).toBeLessThan(30_000); // bookmarks come every minute
});

test('a cache with a silent watch is waited for until it has all changes, additions and deletions', async () => {
  await using there = await shop();
  for (const name of ['changed', 'removed', 'same']) await there.create(name, '1');
  await using proxy = await tcpProxy(inject('controlPlane').server);
  await using link = linked({ server: proxy.url });
  await using follower = follow({ ...link, namespace: there.namespace });
  await follower.untilHolds({ changed: '1', removed: '1', same: '1' });
  proxy.silenceOpen();
  await there.update('changed', '2');
  await there.create('made', '1');
  await there.remove('removed');
  const { state, done } = caughtUp(there, follower);
  let looks = 0;
  await until('a good number of looks', () => (looks += 1) > 30);
  expect(state.isDone).toBe(false);
  await proxy.cut();
  await proxy.mend();
  await done;
  await follower.untilHolds({ changed: '2', made: '1', same: '1' });
});

test('a cache whose watch broke is waited for, though nothing has changed: the server may have been restored', async () => {
  await using there = await shop();
  await there.create('orders', '1');
  await using proxy = await tcpProxy(inject('controlPlane').server);
  await using link = linked({ server: proxy.url });
  await using follower = follow({ ...link, namespace: there.namespace });
  await follower.untilHolds({ orders: '1' });
  await proxy.cut();
  await until('the break to be noticed', () => follower.troubles.length > 0);
  const { state, done } = caughtUp(there, follower);
  let looks = 0;
  await until('a good number of looks', () => (looks += 1) > 30);
  expect(state.isDone).toBe(false);
  await proxy.mend();
  await done;
});

test('objects that come and go during the wait do not prolong it forever', async () => {
  await using there = await shop();
  await using proxy = await tcpProxy(inject('controlPlane').server);
  await using link = linked({ server: proxy.url });
  await using follower = follow({ ...link, namespace: there.namespace });
  await follower.untilHolds({});
  proxy.silenceOpen();
  await there.create('brief', '1');
  const { state, done } = caughtUp(there, follower);
  await there.remove('brief');
  await proxy.cut();
  await proxy.mend();
  await done;
  expect(state.isDone).toBe(true);
});

test('an abort ends the wait', async () => {
  await using there = await shop();
  await using proxy = await tcpProxy(inject('controlPlane').server);
  await using link = linked({ server: proxy.url });
  await using follower = follow({ ...link, namespace: there.namespace });
  await follower.untilHolds({});
  proxy.silenceOpen();
  await there.create('orders', '1');
  const ending = new AbortController();
  const { done } = caughtUp(there, follower, ending.signal);
  ending.abort(new Error('enough'));
  await expect(done).rejects.toThrow('enough');
});
