import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { systemClock } from '../../../src/runtime/clock.ts';
import { KubernetesError } from '../../../src/runtime/kubernetes-error.ts';
import { startControlPlane, type ControlPlane } from '../../control-plane/control-plane.ts';
import { until } from '../../support/until.ts';
import {
  configMaps,
  follow,
  linked,
  shop,
  sleepless,
  type Follower,
  type Shop,
} from './cluster.ts';
import { streamsLists } from '../../support/older-kubernetes.ts';
import { tcpProxy } from '../../support/tcp-proxy.ts';
import { answering, requests } from './watch-requests.ts';

const expired = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code: 410,
  reason: 'Expired',
  message: 'too old resource version',
};
const unsupported = {
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code: 422,
  reason: 'Invalid',
  message: 'sendInitialEvents is forbidden',
};
/** Cannot read a ConfigMap with the value `odd`. */
const nothingOdd: typeof configMaps = {
  ...configMaps,
  parse(value) {
    const parsed = configMaps.parse(value);
    if (parsed.data?.['value'] === 'odd') throw new Error('odd');
    return parsed;
  },
};
/** Waits for a change from the watch. After a break, that change identifies the history of the server. */
async function seeChange(
  there: Shop,
  follower: Follower,
  others: Readonly<Record<string, string>>,
) {
  const bills = await there.create('bills', '1');
  await follower.untilHolds({ ...others, bills: '1' });
  return bills;
}

async function seeDeletion(there: Shop, follower: Follower) {
  await seeChange(there, follower, {});
  await there.remove('bills');
  await follower.untilHolds({});
}

/** Returns the last version. */
async function writeMuch(elsewhere: Shop, name: string, count: number): Promise<string> {
  let last = '';
  for (let nth = 0; nth < count; nth += 1)
    last = (await elsewhere.create(`${name}-${nth}`)).metadata.resourceVersion;
  return last;
}

const hasExpired = (error: unknown) => error instanceof KubernetesError && error.kind === 'gone';

test('a cache gets the existing objects, and follows additions, changes and deletions', async () => {
  await using there = await shop();
  await using link = linked();
  await there.create('orders', '1');
  await using follower = follow({ ...there, ...link });
  await follower.untilHolds({ orders: '1' });
  await there.create('carts', '1');
  await there.update('orders', '2');
  await there.remove('carts');
  await follower.untilHolds({ orders: '2' });
  await until('all changes', () => follower.changes.length === 4);
  expect(follower.changes).toEqual([
    'added orders',
    'added carts',
    'updated orders',
    'deleted carts',
  ]);
  expect(follower.troubles).toEqual([]);
});

test('an object that was deleted and recreated is another object', async () => {
  await using there = await shop();
  await using link = linked();
  await there.create('orders', '1');
  await using follower = follow({ ...there, ...link });
  await follower.untilHolds({ orders: '1' });
  await there.remove('orders');
  await there.create('orders', '2');
  await follower.untilHolds({ orders: '2' });
  expect(follower.changes).toEqual(['added orders', 'deleted orders', 'added orders']);
});

// The tests of streamed lists need Kubernetes 1.34; those of lists in pages play an older server.
test.runIf(streamsLists)('the watch streams the list, without a request of its own', async () => {
  await using there = await shop();
  const seen = requests();
  await using link = linked({ intercept: seen.intercept });
  await there.create('orders', '1');
  await using follower = follow({ ...there, ...link });
  await follower.untilHolds({ orders: '1' });
  expect(seen.lists).toEqual([]);
  expect(seen.watches).toHaveLength(1);
});

test('a server that cannot stream its list is listed in pages', async () => {
  await using there = await shop();
  await using refusal = await answering(422, [unsupported]);
  const seen = requests((sort, query) => {
    if (query['sendInitialEvents']) return { origin: refusal.origin };
    return sort === 'list' ? { query: { ...query, limit: '2' } } : undefined;
  });
  await using link = linked({ intercept: seen.intercept });
  const names = ['a', 'b', 'c', 'd', 'e'];
  for (const name of names) await there.create(name);
  await using follower = follow({ ...there, ...link }, { clock: sleepless() });
  await follower.untilHolds(Object.fromEntries(names.map((name) => [name, ''])));
  expect(seen.lists.map((query) => query['continue'] !== undefined)).toEqual([false, true, true]);
  await there.remove('c');
  await follower.untilHolds({ a: '', b: '', d: '', e: '' });
});

test('a list in pages that failed several times works again when it is complete, without an event of the watch', async () => {
  await using there = await shop();
  await using refusal = await answering(422, [unsupported]);
  let refused = 0;
  const seen = requests((sort, query) => {
    const isRefused =
      query['sendInitialEvents'] !== undefined || (sort === 'list' && refused++ < 3);
    return isRefused ? { origin: refusal.origin } : undefined;
  });
  await using link = linked({ intercept: seen.intercept });
  await there.create('orders');
  await using follower = follow({ ...there, ...link }, { clock: sleepless() });
  await follower.untilHolds({ orders: '' });
  expect(follower.troubles).toHaveLength(3);
  expect(follower.isFailing).toBe(false);
});

test('an unreadable object stays out of the cache, and all readable objects enter the cache', async () => {
  await using there = await shop();
  await using link = linked();
  await there.create('orders', 'odd');
  await there.create('carts', '1');
  await using follower = follow({ ...there, ...link }, { type: nothingOdd });
  await follower.untilHolds({ carts: '1' });
  await there.create('users', 'odd');
  await there.create('bills', '2');
  await follower.untilHolds({ carts: '1', bills: '2' });
  const odd = { watch: 'configmaps', error: 'Error: odd' };
  expect(follower.unreadable).toEqual([odd, odd]);
});

test.each([
  ['streamed', undefined],
  ['listed in pages', 422],
])(
  'of objects that are watched as metadata, nothing else reaches the process: %s',
  async (_how, refuses) => {
    await using there = await shop();
    await using refusal = await answering(422, [unsupported]);
    const seen = requests((_sort, query) =>
      refuses && query['sendInitialEvents'] ? { origin: refusal.origin } : undefined,
    );
    await using link = linked({ intercept: seen.intercept });
    const received: unknown[] = [];
    const metadataOf: typeof configMaps = {
      ...configMaps,
      metadataOnly: true,
      parse(value) {
        received.push(value);
        return configMaps.parse(value);
      },
    };
    await there.create('orders', 'a secret value');
    await there.create('carts', 'a secret value');
    await using follower = follow({ ...there, ...link }, { type: metadataOf, clock: sleepless() });
    await follower.untilHolds({ orders: '', carts: '' });
    await there.update('orders', 'another secret value');
    await there.remove('carts');
    await follower.untilHolds({ orders: '' });
    await until('all changes', () => follower.changes.length === 4);
    expect(follower.cache.get(there.key('orders'))?.metadata.uid).toEqual(expect.any(String));
    expect(received.length).toBeGreaterThan(3);
    expect(JSON.stringify(received)).not.toContain('secret value');
  },
);

test.each([
  ['streamed', undefined],
  ['listed in pages', 422],
])('a type with a single name lists and watches that object alone: %s', async (_how, refuses) => {
  await using there = await shop();
  await using refusal = await answering(422, [unsupported]);
  const seen = requests((_sort, query) =>
    refuses && query['sendInitialEvents'] ? { origin: refusal.origin } : undefined,
  );
  await using link = linked({ intercept: seen.intercept });
  await there.create('orders', '1');
  await there.create('carts', '1');
  const orders = { ...configMaps, onlyName: 'orders' };
  await using follower = follow({ ...there, ...link }, { type: orders, clock: sleepless() });
  await follower.untilHolds({ orders: '1' });
  await there.update('carts', '2');
  await there.update('orders', '2');
  await follower.untilHolds({ orders: '2' });
  expect(follower.changes).toEqual(['added orders', 'updated orders']);
  const selectors = [...seen.lists, ...seen.watches].map((query) => query['fieldSelector']);
  expect(new Set(selectors)).toEqual(new Set(['metadata.name=orders']));
});

test('after a break the watch continues at its last change, if that is still there, and misses nothing', async () => {
  await using there = await shop();
  await using proxy = await tcpProxy(inject('controlPlane').server);
  const seen = requests();
  await using link = linked({ server: proxy.url, intercept: seen.intercept });
  await there.create('orders', '1');
  await there.create('carts', '1');
  await using follower = follow({ ...there, ...link }, { clock: sleepless() });
  await follower.untilHolds({ orders: '1', carts: '1' });
  const bills = await seeChange(there, follower, { orders: '1', carts: '1' });
  await proxy.cut();
  await there.update('orders', '2');
  await there.remove('carts');
  await there.create('users', '1');
  await until('the break to be noticed', () => follower.troubles.length > 1);
  await proxy.mend();
  await follower.untilHolds({ bills: '1', orders: '2', users: '1' });
  expect(follower.changes.slice(3)).toEqual(['updated orders', 'deleted carts', 'added users']);
  expect(seen.watches.filter((query) => query['sendInitialEvents'])).toHaveLength(1);
  expect(seen.watches.at(-1)?.['resourceVersion']).toBe(bills.metadata.resourceVersion);
  expect(follower.isFailing).toBe(false);
});

test('a version that the cache has, such as an own write, is not read again when the watch tells of it', async () => {
  await using there = await shop();
  await using proxy = await tcpProxy(inject('controlPlane').server);
  await using link = linked({ server: proxy.url });
  const read: string[] = [];
  const noted: typeof configMaps = {
    ...configMaps,
    parse(value) {
      const parsed = configMaps.parse(value);
      read.push(parsed.metadata.name);
      return parsed;
    },
  };
  await using follower = follow({ ...there, ...link }, { type: noted, clock: sleepless() });
  await seeChange(there, follower, {});
  await proxy.cut();
  follower.cache.wrote(await there.create('orders', '1'));
  await there.create('carts', '1');
  await proxy.mend();
  await follower.untilHolds({ bills: '1', orders: '1', carts: '1' });
  // After the break, the newest version is asked for once, as a proof. A bookmark right before the break leads to a list instead.
  expect(read.filter((each) => each !== 'bills').toSorted()).toEqual(['carts', 'orders']);
});

type Change = (there: Shop, follower: Follower) => Promise<unknown>;
const noChange: Change = () => Promise.resolve();
const billsSeen: Change = (there, follower) => seeChange(there, follower, {});
const lastChange: [what: string, before: Change, meanwhile: Change, asked: number][] = [
  ['nothing has changed since the list', noChange, noChange, 0],
  ['the last change was a deletion', seeDeletion, noChange, 0],
  [
    'the object that changed last has changed again',
    billsSeen,
    (there) => there.update('bills', '2'),
    1,
  ],
  ['the object that changed last is gone', billsSeen, (there) => there.remove('bills'), 1],
];

test.runIf(streamsLists).each(lastChange)(
  'after a break there is another list where %s',
  async (_what, before, meanwhile, asked) => {
    await using there = await shop();
    await using proxy = await tcpProxy(inject('controlPlane').server);
    const seen = requests();
    await using link = linked({ server: proxy.url, intercept: seen.intercept });
    const { promise: mended, resolve: goOn } = Promise.withResolvers<void>();
    await using follower = follow(
      { ...there, ...link },
      { clock: { ...systemClock, sleep: () => mended } },
    );
    await follower.untilHolds({});
    await before(there, follower);
    await proxy.cut();
    await meanwhile(there, follower);
    await there.create('users', '1');
    await until('the break to be noticed', () => follower.troubles.length === 1);
    await proxy.mend();
    goOn();
    await until('the new object', () => follower.cache.get(there.key('users')));
    expect(seen.lists).toHaveLength(asked);
    expect(seen.watches.map((query) => query['sendInitialEvents'])).toEqual(['true', 'true']);
  },
);

test.runIf(streamsLists)(
  'a watch whose time is over costs no request but the next one',
  async () => {
    await using there = await shop();
    const seen = requests((sort, query) =>
      sort === 'watch' ? { query: { ...query, timeoutSeconds: '1' } } : undefined,
    );
    await using link = linked({ intercept: seen.intercept });
    await using follower = follow({ ...there, ...link });
    await follower.untilHolds({});
    await seeChange(there, follower, {});
    await until('three watches', () => seen.watches.length >= 3);
    expect(seen.lists).toEqual([]);
    expect(seen.watches.filter((query) => query['sendInitialEvents'])).toHaveLength(1);
  },
);

test('retries of an unreachable server wait longer each time, up to ten seconds', async () => {
  await using there = await shop();
  await using proxy = await tcpProxy(inject('controlPlane').server);
  await using link = linked({ server: proxy.url });
  await proxy.cut();
  const clock = sleepless();
  await using follower = follow({ ...there, ...link }, { clock });
  await until('eight attempts', () => clock.slept.length >= 8);
  expect(clock.slept.slice(0, 8)).toEqual([800, 1_600, 3_200, 5_000, 5_000, 5_000, 5_000, 5_000]);
  expect(follower.troubles[0]).toMatchObject({ kind: 'network', operation: 'watch configmaps' });
});

test('a retry waits as long as the server asks for', async () => {
  await using there = await shop();
  await using busy = await answering(429, [], { 'retry-after': '17' });
  const clock = sleepless();
  await using link = linked({ intercept: requests(() => ({ origin: busy.origin })).intercept });
  await using follower = follow({ ...there, ...link }, { clock });
  await until('two attempts', () => clock.slept.length >= 2);
  expect(clock.slept.slice(0, 2)).toEqual([17_000, 17_000]);
  expect(follower.troubles[0]).toMatchObject({ kind: 'tooManyRequests' });
});

test.runIf(streamsLists).each([
  ['a status', 410, expired],
  ['an event', 200, { type: 'ERROR', object: expired }],
])('an expiry that is reported by %s leads to a new list', async (_how, status, body) => {
  await using there = await shop();
  await using proxy = await tcpProxy(inject('controlPlane').server);
  await using answer = await answering(status, [body]);
  const seen = requests((sort, _query, nth) =>
    sort === 'watch' && nth === 2 ? { origin: answer.origin } : undefined,
  );
  await using link = linked({ server: proxy.url, intercept: seen.intercept });
  await there.create('orders', '1');
  await using follower = follow({ ...there, ...link }, { clock: sleepless() });
  await follower.untilHolds({ orders: '1' });
  await seeChange(there, follower, { orders: '1' });
  await proxy.cut();
  await there.remove('orders');
  await there.create('carts', '1');
  await proxy.mend();
  await follower.untilHolds({ bills: '1', carts: '1' });
  expect(follower.changes).toEqual([
    'added orders',
    'added bills',
    'deleted orders',
    'added carts',
  ]);
  expect(seen.watches.slice(0, 3).map((query) => query['sendInitialEvents'])).toEqual([
    'true',
    undefined,
    'true',
  ]);
});

test('a server that repeats expired is not asked in a loop', async () => {
  await using there = await shop();
  await using answer = await answering(410, [expired]);
  const clock = sleepless();
  await using link = linked({ intercept: requests(() => ({ origin: answer.origin })).intercept });
  await using follower = follow({ ...there, ...link }, { clock });
  await until('five attempts', () => clock.slept.length >= 5);
  expect(clock.slept.slice(0, 5)).toEqual([0, 800, 1_600, 3_200, 5_000]);
  expect(follower.troubles.every(hasExpired)).toBe(true);
});

test('a server that closes every watch at once is not asked in a loop', async () => {
  await using there = await shop();
  await using answer = await answering(200, []);
  const seen = requests((sort, query) =>
    sort === 'watch' && !query['sendInitialEvents'] ? { origin: answer.origin } : undefined,
  );
  const clock = sleepless();
  await using proxy = await tcpProxy(inject('controlPlane').server);
  await using link = linked({ server: proxy.url, intercept: seen.intercept });
  await using follower = follow({ ...there, ...link }, { clock });
  await follower.untilHolds({});
  await seeChange(there, follower, {});
  await proxy.cut();
  await proxy.mend();
  await until('four attempts', () => clock.slept.length >= 4);
  expect(clock.slept.slice(0, 4)).toEqual([800, 1_600, 3_200, 5_000]);
  expect(String(follower.troubles[2])).toContain('closed the watch at once');
});

test('a server that closes every watch within its list is not asked in a loop', async () => {
  await using there = await shop();
  const orders = await there.create('orders');
  await using answer = await answering(200, [{ type: 'ADDED', object: orders }]);
  const clock = sleepless();
  await using link = linked({ intercept: requests(() => ({ origin: answer.origin })).intercept });
  await using follower = follow({ ...there, ...link }, { clock });
  await until('four attempts', () => clock.slept.length >= 4);
  expect(clock.slept.slice(0, 4)).toEqual([800, 1_600, 3_200, 5_000]);
  expect(follower.cache.synced).toBe(false);
});

test('objects that change or disappear while the list is streamed have their state at its end', async () => {
  await using there = await shop();
  const before = await there.create('orders', '1');
  const gone = await there.create('carts', '1');
  const after = await there.update('orders', '2');
  const metadata = {
    resourceVersion: after.metadata.resourceVersion,
    annotations: { 'k8s.io/initial-events-end': 'true' },
  };
  await using list = await answering(200, [
    { type: 'ADDED', object: before },
    { type: 'ADDED', object: gone },
    { type: 'MODIFIED', object: after },
    { type: 'DELETED', object: gone },
    { type: 'BOOKMARK', object: { metadata } },
  ]);
  await using nothing = await answering(200, []);
  const seen = requests((_sort, query) => ({
    origin: query['sendInitialEvents'] ? list.origin : nothing.origin,
  }));
  await using link = linked({ intercept: seen.intercept });
  await using follower = follow({ ...there, ...link });
  await follower.untilHolds({ orders: '2' });
  expect(follower.changes).toEqual(['added orders']);
});

test('an object that became unreadable leaves the cache when it is deleted', async () => {
  await using there = await shop();
  await using link = linked();
  await there.create('orders', '1');
  await using follower = follow({ ...there, ...link }, { type: nothingOdd });
  await follower.untilHolds({ orders: '1' });
  await there.update('orders', 'odd');
  await there.remove('orders');
  await follower.untilHolds({});
  expect(follower.changes).toEqual(['added orders', 'deleted orders']);
});

test('a silent connection is noticed and reopened', async () => {
  await using there = await shop();
  await using proxy = await tcpProxy(inject('controlPlane').server);
  await using link = linked({ server: proxy.url, stallMs: 900 });
  await using follower = follow({ ...there, ...link }, { clock: sleepless() });
  await there.create('bills', '1');
  await follower.untilHolds({ bills: '1' });
  // Unlike the object itself, its change cannot come from a list: the watch is open.
  await there.update('bills', '2');
  await follower.untilHolds({ bills: '2' });
  proxy.silenceOpen();
  await there.create('orders', '1');
  await follower.untilHolds({ bills: '2', orders: '1' });
  expect(follower.troubles[0]).toMatchObject({
    kind: 'network',
    cause: { code: 'UND_ERR_BODY_TIMEOUT' },
  });
});

test('bookmarks advance the version while nothing changes', async () => {
  await using there = await shop();
  await using elsewhere = await shop();
  // The server sends a bookmark two seconds before it ends a watch.
  const seen = requests((sort, query) =>
    sort === 'watch' ? { query: { ...query, timeoutSeconds: '3' } } : undefined,
  );
  await using link = linked({ intercept: seen.intercept });
  await using follower = follow({ ...there, ...link });
  await follower.untilHolds({});
  const { metadata } = await elsewhere.create('orders');
  const last = () => Number(seen.watches.at(-1)?.['resourceVersion'] ?? 0);
  await until(
    'a watch from a later place',
    () => last() >= Number(metadata.resourceVersion),
    () => seen.watches,
  );
  expect(follower.changes).toEqual([]);
  expect(follower.troubles).toEqual([]);
});

describe('an API server that is restarted or restored', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await startControlPlane();
  });
  afterAll(() => plane.stop());

  test.runIf(streamsLists)(
    'after a restart, an API server that knows no older version is listed anew, and nothing is missed',
    async () => {
      await using there = await shop(plane.handle);
      const seen = requests();
      await using link = linked({ intercept: seen.intercept }, plane.handle);
      await there.create('orders', '1');
      await there.create('carts', '1');
      await using follower = follow({ ...there, ...link });
      await follower.untilHolds({ orders: '1', carts: '1' });
      await seeChange(there, follower, { orders: '1', carts: '1' });
      await plane.stopApiServer();
      await until('the break to be noticed', () => follower.troubles.length > 0);
      await plane.startApiServer();
      await there.update('orders', '2');
      await there.remove('carts');
      await there.create('users', '1');
      await follower.untilHolds({ bills: '1', orders: '2', users: '1' });
      expect(seen.watches.map((query) => query['sendInitialEvents'])).toEqual([
        'true',
        undefined,
        'true',
      ]);
    },
  );

  test(
    'the cache follows an API server that was restored from a backup, although its versions are older',
    { timeout: 150_000 },
    async () => {
      await using there = await shop(plane.handle);
      await there.create('orders', 'before');
      await there.create('carts', 'before');
      await plane.backUp();
      for (let change = 1; change <= 30; change += 1)
        await there.update('orders', `lost ${change}`);
      await there.remove('carts');
      await there.create('users', 'lost');
      await using link = linked({}, plane.handle);
      await using follower = follow({ ...there, ...link }, { clock: sleepless() });
      await follower.untilHolds({ orders: 'lost 30', users: 'lost' });
      await plane.restore();
      await follower.untilHolds({ orders: 'before', carts: 'before' });
      await there.update('orders', 'after');
      await there.remove('carts');
      await follower.untilHolds({ orders: 'after' });
      expect(follower.rewinds).toBe(1);
    },
  );

  test(
    'the cache follows a restored API server that has written more by then than it had lost',
    { timeout: 150_000 },
    async () => {
      await using there = await shop(plane.handle);
      await using elsewhere = await shop(plane.handle);
      await using proxy = await tcpProxy(plane.handle.server);
      await using link = linked({ server: proxy.url }, plane.handle);
      for (const name of ['orders', 'carts', 'kept']) await there.create(name, 'before');
      await plane.backUp();
      await using follower = follow({ ...there, ...link }, { clock: sleepless() });
      await follower.untilHolds({ orders: 'before', carts: 'before', kept: 'before' });
      // More than a server writes when it starts: it knows the last version of the watch then, and does not say 410.
      await writeMuch(elsewhere, 'lost', 300);
      await there.update('orders', 'lost');
      await there.remove('carts');
      const users = await there.create('users', 'lost');
      await follower.untilHolds({ orders: 'lost', kept: 'before', users: 'lost' });
      await proxy.cut();
      await plane.restore();
      await there.update('kept', 'after');
      const last = await writeMuch(elsewhere, 'after', 400);
      expect(BigInt(last)).toBeGreaterThan(BigInt(users.metadata.resourceVersion));
      await proxy.mend();
      await follower.untilHolds({ orders: 'before', carts: 'before', kept: 'after' });
      await there.update('orders', 'after');
      await there.remove('carts');
      await follower.untilHolds({ orders: 'after', kept: 'after' });
      expect(follower.rewinds).toBe(1);
    },
  );
});

test('an abort ends the reflector during a watch or a delay', async () => {
  await using there = await shop();
  await using proxy = await tcpProxy(inject('controlPlane').server);
  await using link = linked({ server: proxy.url });
  const [watching, pausing] = [follow({ ...there, ...link }), follow({ ...there, ...link })];
  await watching.untilHolds({});
  await watching[Symbol.asyncDispose]();
  expect(watching.troubles).toEqual([]);
  await proxy.cut();
  await until('the pause', () => pausing.troubles.length > 0);
  await pausing[Symbol.asyncDispose]();
});

test('an abort ends the reflector while its connection is being opened', async () => {
  await using there = await shop();
  await using proxy = await tcpProxy(inject('controlPlane').server);
  await using link = linked({ server: proxy.url });
  proxy.silenceNew();
  const follower = follow({ ...there, ...link });
  await until('the attempt', () => proxy.accepted > 0);
  const begunAt = performance.now();
  await follower[Symbol.asyncDispose]();
  // Connecting may take 5 s.
  expect(performance.now() - begunAt).toBeLessThan(4_000);
});
