import { apartMs } from '../../../src/cloud/absences.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { CloudError, type CloudErrorDetails } from '../../../src/cloud/cloud-error.ts';
import type { FindOptions, ListPollerOptions } from '../../../src/cloud/list-poller.ts';
import { Poller } from '../../../src/cloud/poller.ts';
import type { Snapshot } from '../../../src/cloud/snapshot.ts';
import { cloudErrorOf } from './cloud-error-of.ts';
import { manualClock, type ManualClock } from './manual-clock.ts';

interface Item {
  readonly id?: string;
  readonly status?: string;
  readonly metrics?: { readonly memory_mb: number };
  readonly initial_password?: string;
}

let clock: ManualClock;
let start: number;
/** The resources in the cloud; an error is thrown instead. */
let cloud: readonly Item[] | CloudError;
/** When LISTs were begun, in milliseconds from the start. */
let begun: number[];
/** How long a LIST takes. */
let takesMs: number;
let changes: string[][];
let poller: Poller<Item>;

function startPoller(options: Partial<ListPollerOptions<Item>> = {}): void {
  poller = new Poller<Item>({
    operation: 'listServices',
    list: async () => {
      begun.push(clock.now() - start);
      const seen = cloud;
      if (takesMs > 0) await new Promise<void>((resolve) => void clock.schedule(takesMs, resolve));
      if (seen instanceof CloudError) throw seen;
      return seen;
    },
    idOf: ({ id = '' }) => id,
    clock,
    random: () => 0,
    ...options,
  });
}

beforeEach(() => {
  clock = manualClock();
  start = clock.now();
  cloud = [{ id: 'a' }, { id: 'b' }];
  begun = [];
  takesMs = 0;
  changes = [];
  startPoller();
});

const listen = () => poller.onChange((ids) => changes.push([...ids].toSorted()));
const down = (details: Partial<CloudErrorDetails> = {}) =>
  new CloudError({
    operation: 'listServices',
    kind: 'server',
    sent: true,
    fromApi: false,
    ...details,
  });
const many = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => ({ id: `s${n + from}` }));

const find = (id: string, options: Partial<FindOptions> = { absentFrom: 0 }) =>
  poller.find(id, { notBefore: 0, ...options });

/** All at once, with as much time as they need for a list or two. */
async function findAll(items: readonly Item[]): Promise<readonly string[]> {
  const found = Promise.all(items.map(({ id = '' }) => find(id)));
  await clock.advance(1_000);
  return (await found).map(({ state }) => state);
}

/** A first snapshot, without waiting for it by hand. */
async function listed(notBefore = clock.now()): Promise<Snapshot<Item>> {
  const snapshot = poller.since(notBefore);
  await clock.advance(101);
  return snapshot;
}

/** A list of twenty in this state. */
const listedAll = async (status: string) => {
  await clock.advance(1);
  cloud = many(20).map((item) => ({ ...item, status }));
  await listed();
};

describe('since', () => {
  test('calls within 100 ms share one request', async () => {
    const first = poller.since(clock.now());
    await clock.advance(60);
    const second = poller.since(clock.now());
    await clock.advance(40);
    expect(await first).toBe(await second);
    expect(begun).toEqual([100]);
    expect((await first).items).toEqual(
      new Map([
        ['a', { id: 'a' }],
        ['b', { id: 'b' }],
      ]),
    );
  });

  test('a snapshot that is new enough is given at once', async () => {
    const snapshot = await listed();
    expect(await poller.since(snapshot.begunAt)).toBe(snapshot);
    expect(await poller.since(0)).toBe(snapshot);
    expect(begun).toHaveLength(1);
  });

  test('a running LIST is shared only by those for whom it began late enough', async () => {
    takesMs = 500;
    const first = poller.since(clock.now());
    await clock.advance(300);
    const sharing = poller.since(start + 100);
    const later = poller.since(clock.now());
    await clock.advance(300);
    expect(await sharing).toBe(await first);
    await clock.advance(1_000);
    expect((await later).begunAt).toBeGreaterThanOrEqual(start + 300);
    expect(await later).not.toBe(await first);
    expect(begun).toEqual([100, 600]);
  });

  test('a failed LIST fails all callers that shared the request, and the next caller starts a new LIST after a second', async () => {
    cloud = down();
    const failing = cloudErrorOf(poller.since(clock.now()));
    await clock.advance(100);
    expect(await failing).toBe(cloud);
    expect(poller.failure).toBe(cloud);
    cloud = [{ id: 'a' }];
    const next = poller.since(clock.now());
    await clock.advance(999);
    expect(begun, 'a cloud that fails is not asked in a loop').toHaveLength(1);
    await clock.advance(1);
    expect((await next).items.size).toBe(1);
    expect(poller.failure).toBeUndefined();
  });

  test('a failed LIST also fails callers that wait for a later LIST', async () => {
    takesMs = 500;
    cloud = down();
    const first = cloudErrorOf(poller.since(clock.now()));
    await clock.advance(300);
    const later = cloudErrorOf(poller.since(clock.now()));
    await clock.advance(300);
    expect([await first, await later]).toEqual([cloud, cloud]);
    await clock.advance(10_000);
    expect(begun, 'nobody waits any more').toEqual([100]);
  });

  test('while a request to a cloud that failed is under way, further callers get the failure at once', async () => {
    cloud = down();
    const first = cloudErrorOf(poller.since(0));
    await clock.advance(100);
    expect(await first).toBe(cloud);
    takesMs = 30_000;
    const next = cloudErrorOf(poller.since(0));
    await clock.advance(10_000);
    expect(await cloudErrorOf(poller.since(0))).toBe(poller.failure);
    expect(await cloudErrorOf(poller.since(clock.now()))).toBe(poller.failure);
    await clock.advance(30_000);
    expect(await next).toBe(cloud);
    expect(begun).toEqual([100, 1_100]);
  });

  test('a stopped poller sends no LIST, and its waiting callers get an aborted error', async () => {
    listen();
    const waiting = cloudErrorOf(poller.since(clock.now()));
    poller.stop();
    expect(await waiting).toMatchObject({ kind: 'aborted', sent: false });
    expect(await cloudErrorOf(poller.since(0))).toMatchObject({ kind: 'aborted' });
    await clock.advance(600_000);
    expect(begun).toEqual([]);
  });
});

describe('a list poller with a put or an accepted removal', () => {
  test('shows the change at once, notifies the listeners, and ignores the older state from a LIST that began before', async () => {
    await listed();
    listen();
    takesMs = 500;
    const running = poller.since(clock.now());
    await clock.advance(200);
    poller.put('a', { id: 'a', status: 'CONFIGURING' });
    poller.acceptRemoval('b');
    expect(changes).toEqual([['a'], ['b']]);
    await clock.advance(500);
    expect((await running).items).toEqual(new Map([['a', { id: 'a', status: 'CONFIGURING' }]]));
    takesMs = 0;
    expect((await listed()).items).toEqual(
      new Map([
        ['a', { id: 'a' }],
        ['b', { id: 'b' }],
      ]),
    );
    expect(changes).toEqual([['a'], ['b'], ['a', 'b']]);
  });

  test('includes a resource that was put before the first LIST', async () => {
    poller.put('c', { id: 'c' });
    expect((await listed()).items.has('c')).toBe(true);
  });

  test('does not notify the listeners of a put that changes only metrics and the initial password', async () => {
    await listed();
    listen();
    poller.put('a', { id: 'a', initial_password: 'x', metrics: { memory_mb: 1 } });
    expect(changes).toEqual([]);
  });

  test('keeps a new resource that is missing from lagging lists for ten seconds and no longer', async () => {
    await listed();
    poller.put('new', { id: 'new' });
    await clock.advance(5_000);
    expect((await listed()).items.has('new')).toBe(true);
    await clock.advance(5_000);
    expect((await listed()).items.has('new')).toBe(false);
  });

  test('drops a resource that a LIST has shown at the first LIST without the resource', async () => {
    await listed();
    poller.put('a', { id: 'a', status: 'DELETING' });
    cloud = [{ id: 'b' }];
    await clock.advance(1);
    expect((await listed()).items.has('a')).toBe(false);
  });
});

describe('changes', () => {
  test('the first LIST notifies of all ids, each later LIST only of ids that appeared, changed or vanished', async () => {
    listen();
    await listed();
    cloud = [{ id: 'a', status: 'READY' }, { id: 'c' }];
    await listed();
    await listed();
    expect(changes).toEqual([
      ['a', 'b'],
      ['a', 'b', 'c'],
    ]);
  });

  test('metrics and a password that comes and goes are not a change, and the snapshot has their newest values', async () => {
    listen();
    await listed();
    cloud = [{ id: 'a', metrics: { memory_mb: 5 }, initial_password: 'x' }, { id: 'b' }];
    const { items } = await listed();
    expect(items.get('a')?.metrics).toEqual({ memory_mb: 5 });
    expect(changes).toHaveLength(1);
  });

  test('a disposed listener gets no changes', async () => {
    const subscription = listen();
    subscription[Symbol.dispose]();
    await listed();
    expect(changes).toEqual([]);
  });
});

describe('a 404 to the LIST itself', () => {
  test('casts doubt on the last list until the next list, also if a gateway answers meanwhile', async () => {
    await listed();
    const seen = [poller.isPlaceDenied];
    for (const answer of [
      down(),
      down({ kind: 'notFound', fromApi: true, status: 404 }),
      down({ kind: 'unreadable', status: 404 }),
      [],
    ]) {
      cloud = answer;
      await clock.advance(120_000);
      poller.since(clock.now()).catch(() => undefined);
      await clock.advance(101);
      seen.push(poller.isPlaceDenied);
    }
    expect(seen).toEqual([false, false, true, true, false]);
  });
});

describe('polling', () => {
  test('without a listener, the poller does not poll', async () => {
    await clock.advance(600_000);
    expect(begun).toEqual([]);
  });

  test('with a listener, the poller polls once a minute', async () => {
    listen();
    await clock.advance(185_000);
    expect(begun).toEqual([60_000, 120_000, 180_000]);
  });

  test('a LIST for a caller counts as a poll', async () => {
    listen();
    await clock.advance(50_000);
    await listed();
    await clock.advance(59_000);
    expect(begun).toEqual([50_100]);
  });

  test('work in progress is polled after 1 s, growing by half to 15 s, until it is settled', async () => {
    poller.expectProgress('a', clock.now());
    await clock.advance(60_000);
    const gaps = begun.map((at, index) => at - (begun[index - 1] ?? 0));
    expect(gaps.slice(0, 7).map((gap) => gap / 1_000)).toEqual([
      1, 1.5, 2.25, 3.375, 5.0625, 7.59375, 11.390625,
    ]);
    expect(gaps.slice(7)).toEqual(gaps.slice(7).map(() => 15_000));
    expect(gaps.length).toBeGreaterThan(7);
    poller.endProgress('a');
    const before = begun.length;
    await clock.advance(60_000);
    expect(begun).toHaveLength(before);
  });

  test('polling for an operation ends when a LIST no longer shows the resource, and continues while no LIST has shown the resource', async () => {
    await listed();
    poller.expectProgress('a', clock.now());
    poller.expectProgress('new', clock.now());
    cloud = [{ id: 'b' }];
    await clock.advance(10_000);
    poller.endProgress('new');
    const before = begun.length;
    await clock.advance(60_000);
    expect(begun).toHaveLength(before);
    poller.expectProgress('new', clock.now());
    await clock.advance(60_000);
    expect(begun.length).toBeGreaterThan(before + 3);
  });

  test('the youngest operation sets the poll interval, and further operations do not postpone the next poll', async () => {
    poller.expectProgress('old', clock.now() - 3_600_000);
    for (let n = 0; n < 40; n += 1) {
      await clock.advance(100);
      poller.expectProgress(`new${n}`, clock.now());
    }
    expect(begun.length).toBeGreaterThanOrEqual(3);
    expect(begun.length).toBeLessThanOrEqual(4);
  });

  test.each(['server', 'unreadable'] as const)(
    'polls that fail (%s) are repeated after 1 s, doubling to a minute',
    async (kind) => {
      startPoller({ random: () => 1 });
      listen();
      cloud = down({ kind });
      await clock.advance(66_000);
      await clock.advance(200_000);
      const gaps = begun.map((at, index) => at - (begun[index - 1] ?? 0));
      expect(gaps).toEqual([66_000, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    },
  );

  test.each([
    [1, []],
    [2, [['0', '1']]],
  ])(
    'a list after %i failed polls in a row notifies the listeners: %j',
    async (polls, expected) => {
      startPoller({ random: () => 1 });
      cloud = [{ id: '0' }, { id: '1' }];
      await listed();
      listen();
      cloud = down({ kind: 'network' });
      await clock.advance(66_000 + (polls - 1) * 1_000);
      cloud = [{ id: '0' }, { id: '1' }];
      await clock.advance(10_000);
      expect(changes).toEqual(expected);
    },
  );

  test('a 429 is waited out', async () => {
    listen();
    cloud = down({ kind: 'rateLimited', retryAfterMs: 30_000 });
    await clock.advance(60_000);
    await clock.advance(29_999);
    expect(begun).toHaveLength(1);
    await clock.advance(1);
    expect(begun).toHaveLength(2);
  });
});

describe('a LIST without many known resources', () => {
  beforeEach(async () => {
    cloud = many(20);
    await listed();
    listen();
    begun = [];
  });

  test('is repeated, and its losses are believed only if all LISTs of ten seconds have the losses', async () => {
    cloud = many(10);
    const failed = cloudErrorOf(poller.since(clock.now()));
    await clock.advance(10_000);
    expect(await failed).toBeInstanceOf(CloudError);
    expect(poller.latest?.items.size, 'the doubtful lists are not shown').toBe(20);
    expect(poller.failure).toMatchObject({
      kind: 'unreadable',
      field: '10 of 20 known ids are missing from the list at once',
    });
    expect(changes).toEqual([]);
    await clock.advance(3_000);
    expect(poller.latest?.items.size).toBe(10);
    expect(begun).toEqual([201, 701, 1_701, 3_701, 6_201, 8_701, 11_201]);
    expect(poller.failure).toBeUndefined();
  });

  test('is not believed while GETs find the missing resources, and each LIST costs at most ten GETs', async () => {
    let asked = 0;
    const get = async (id: string) => {
      asked += 1;
      return { id };
    };
    startPoller({ get });
    cloud = many(20);
    await listed();
    cloud = many(10);
    begun = [];
    const failed = cloudErrorOf(poller.since(clock.now()));
    await clock.advance(30_000);
    expect(await failed).toMatchObject({ kind: 'unreadable' });
    expect(poller.latest?.items.size).toBe(20);
    expect(asked).toBeLessThanOrEqual(10 * begun.length);
  });

  test('fails its callers, and a complete LIST right after it changes nothing', async () => {
    cloud = [];
    const failed = cloudErrorOf(poller.since(clock.now()));
    await clock.advance(500);
    expect(await failed).toMatchObject({ kind: 'unreadable', operation: 'listServices' });
    cloud = many(20);
    await clock.advance(1_000);
    expect((await poller.since(0)).items.size).toBe(20);
    expect([poller.failure, changes]).toEqual([undefined, []]);
  });

  test('fails each caller while each LIST misses other resources, and the first complete LIST notifies the listeners', async () => {
    const cutSomewhere = async (seconds: number) => {
      for (let n = 0; n < seconds; n += 1) {
        cloud = many(20).filter((_, index) => Math.floor(index / 5) !== begun.length % 4);
        await clock.advance(1_000);
      }
    };
    const first = cloudErrorOf(poller.since(clock.now()));
    await cutSomewhere(20);
    expect(await first).toMatchObject({ kind: 'unreadable' });
    const next = cloudErrorOf(poller.since(clock.now()));
    const lists = begun.length;
    await cutSomewhere(60);
    expect(await next).toMatchObject({ kind: 'unreadable' });
    expect(begun.length - lists, 'a caller does not hasten the next list').toBe(24);
    expect(poller.latest?.items.size).toBe(20);
    cloud = many(20);
    await clock.advance(5_000);
    expect(changes).toEqual([
      many(20)
        .map(({ id }) => id)
        .toSorted(),
    ]);
    expect(poller.failure).toBeUndefined();
  });

  test('is not believed either if it comes from another request, and counts as a failed poll', () => {
    poller.feed(many(10), clock.now());
    expect(poller.latest?.items.size).toBe(20);
    expect(poller.failure).toMatchObject({ kind: 'unreadable' });
  });

  test('is believed if the missing resources were deleted', async () => {
    for (const { id } of many(15)) poller.acceptRemoval(id);
    cloud = many(5, 15);
    await clock.advance(1);
    expect((await listed()).items.size).toBe(5);
  });

  test('is believed if the missing resources were being deleted or had a 404', async () => {
    startPoller({ isLeaving: ({ status }) => status === 'DELETING' });
    cloud = many(20).map((item, index) => ({ ...item, status: index < 8 ? 'DELETING' : 'READY' }));
    await listed();
    for (const { id } of many(4, 8)) poller.denyRemoval(id);
    cloud = many(8, 12);
    await clock.advance(1);
    expect((await listed()).items.size).toBe(8);
    expect(poller.failure).toBeUndefined();
  });

  test('is recognised from the first LIST on by ids that the objects of the cluster know', async () => {
    startPoller({ knownIds: () => many(20).map(({ id }) => id) });
    cloud = many(5);
    const failed = cloudErrorOf(poller.since(clock.now()));
    await clock.advance(200);
    expect(await failed).toMatchObject({ kind: 'unreadable' });
    expect(poller.latest).toBeUndefined();
    cloud = many(25);
    await clock.advance(1_000);
    expect((await listed()).items.size).toBe(25);
  });
});

describe('the search for a resource', () => {
  let getCalls: string[];
  let projectCalls: number;
  /** The answer to a GET. */
  let there: Set<string> | CloudError;
  let isSameProject: boolean;

  const startPollerWithGet = (options: Partial<ListPollerOptions<Item>> = {}) =>
    startPoller({
      knownIds: () => many(20).map(({ id }) => id),
      async get(id) {
        getCalls.push(id);
        if (there instanceof CloudError) throw there;
        if (there.has(id)) return { id };
        throw new CloudError({
          operation: 'getService',
          kind: 'notFound',
          sent: true,
          fromApi: true,
        });
      },
      async isSameProject() {
        projectCalls += 1;
        return isSameProject;
      },
      ...options,
    });

  beforeEach(() => {
    getCalls = [];
    projectCalls = 0;
    there = new Set();
    isSameProject = true;
    startPollerWithGet();
    cloud = many(20);
  });

  test('finds a resource of the latest LIST present, without a call', async () => {
    const { begunAt } = await listed();
    expect(await find('s1')).toEqual({
      state: 'present',
      resource: { id: 's1' },
      asOf: begunAt,
      isShown: true,
    });
    expect([begun.length, getCalls.length, projectCalls]).toEqual([1, 0, 0]);
  });

  test('finds a resource present that a GET shows and a LIST lacks, and keeps the resource in the snapshot', async () => {
    await listed();
    there = new Set(['new']);
    expect(await find('new')).toMatchObject({
      state: 'present',
      resource: { id: 'new' },
      isShown: false,
    });
    expect(await find('new')).toMatchObject({ state: 'present' });
    expect(getCalls).toEqual(['new']);
  });

  test('proves no absence without a caller that needs the proof', async () => {
    await listed();
    expect(await find('new', {})).toEqual({ state: 'missing', again: clock.now() + 5_000 });
    expect(projectCalls).toBe(0);
  });

  const settledMs = 120_000;
  /** The end of a search that takes a list or two. */
  const ended = async (id: string) => {
    const found = find(id, { absentFrom: start + settledMs });
    await clock.advance(1_000);
    return found;
  };

  test('reports a new resource as missing, not absent, until two minutes after its creation, even if LIST, GET and DELETE do not find the resource', async () => {
    await listed();
    poller.put('new', { id: 'new' });
    poller.denyRemoval('new');
    await clock.advance(1);
    await listed();
    expect(await find('new', { absentFrom: start + settledMs })).toEqual({
      state: 'missing',
      again: clock.now() + 5_000,
    });
    expect(await find('new', { absentFrom: start + settledMs })).toMatchObject({
      state: 'missing',
    });
    expect([getCalls, projectCalls]).toEqual([['new'], 0]);
    await clock.advance(start + settledMs - clock.now());
    expect(await ended('new')).toEqual({ state: 'absent' });
  });

  test('can prove a new resource absent within two minutes of its creation if a LIST has shown the resource', async () => {
    poller.put('new', { id: 'new' });
    cloud = [...many(20), { id: 'new' }];
    await listed();
    cloud = many(20);
    poller.denyRemoval('new');
    await listed();
    await clock.advance(apartMs);
    await listed();
    expect(await ended('new')).toEqual({ state: 'absent' });
  });

  test('can prove a new resource absent within two minutes of its creation if the cloud has accepted its deletion', async () => {
    await listed();
    poller.acceptRemoval('new');
    await clock.advance(1);
    await listed();
    expect(await ended('new')).toEqual({ state: 'absent' });
  });

  test('proves a resource absent by a 404, a later LIST and a check of the project', async () => {
    await listed();
    cloud = many(19);
    await clock.advance(1);
    await listed();
    expect(await findAll([{ id: 's19' }])).toEqual(['missing']);
    await clock.advance(apartMs);
    await listed();
    expect(await findAll([{ id: 's19' }])).toEqual(['absent']);
    expect([getCalls, projectCalls]).toEqual([['s19', 's19'], 1]);
  });

  test('proves no absence with a key of another project', async () => {
    await listed();
    isSameProject = false;
    expect(await findAll([{ id: 'lost' }])).toEqual(['missing']);
  });

  test('proves hundreds of deleted services absent with the first LIST without the services, for a single check of the project', async () => {
    cloud = many(500);
    await listed();
    for (const { id } of many(400)) poller.acceptRemoval(id);
    cloud = many(100, 400);
    await clock.advance(1);
    await listed();
    expect(new Set(await findAll(many(400)))).toEqual(new Set(['absent']));
    expect([begun.length, getCalls.length, projectCalls]).toEqual([2, 0, 1]);
  });

  const leavingWhen = (status: string) =>
    startPollerWithGet({ isLeaving: (item) => item.status === status });

  test('does not trust an accepted DELETE that a later LIST shows as not carried out: a GET finds the resource that the next LIST lacks', async () => {
    leavingWhen('DELETING');
    await listedAll('READY');
    poller.acceptRemoval('s19');
    await listedAll('READY');
    cloud = many(19);
    there = new Set(['s19']);
    await clock.advance(1);
    await listed();
    expect(await findAll([{ id: 's19' }])).toEqual(['present']);
    expect(getCalls).toEqual(['s19']);
  });

  test('needs a GET after an accepted DELETE that no LIST has shown, and no GET after a LIST showed the deletion', async () => {
    leavingWhen('DELETING');
    await listedAll('READY');
    poller.acceptRemoval('s18');
    poller.acceptRemoval('s19');
    cloud = [...many(18), { id: 's18', status: 'DELETING' }];
    await clock.advance(1);
    await listed();
    cloud = many(18);
    await clock.advance(1);
    await listed();
    expect(await findAll([{ id: 's18' }, { id: 's19' }])).toEqual(['absent', 'absent']);
    expect(getCalls).toEqual(['s19']);
  });

  test('needs a GET for a service that was shown as DELETING and later as READY', async () => {
    leavingWhen('DELETING');
    await listedAll('READY');
    poller.acceptRemoval('s19');
    await listedAll('DELETING');
    await listedAll('READY');
    cloud = many(19);
    there = new Set(['s19']);
    await clock.advance(1);
    await listed();
    expect(await findAll([{ id: 's19' }])).toEqual(['present']);
  });

  test('needs a GET for a service whose DELETE was answered with 404: a 404 does not prove a deletion as an accepted DELETE does', async () => {
    await listed();
    poller.denyRemoval('s19');
    cloud = many(19);
    await clock.advance(1);
    await listed();
    await clock.advance(apartMs);
    await listed();
    expect(await findAll([{ id: 's19' }])).toEqual(['absent']);
    expect(getCalls).toEqual(['s19']);
  });

  test('proves hundreds of services absent that another user removed, with a GET for each service and at most ten GETs for each LIST', async () => {
    cloud = many(500);
    await listed();
    listen();
    begun = [];
    cloud = many(100, 400);
    await clock.advance(120_000);
    expect(changes, 'GETs have not denied enough of them yet').toEqual([]);
    for (let n = 0; n < 10; n += 1) await clock.advance(20_000);
    expect(changes).toHaveLength(1);
    expect(new Set(await findAll(many(400).filter(({ id }) => getCalls.includes(id))))).toEqual(
      new Set(['absent']),
    );
    expect(getCalls.length).toBeLessThanOrEqual(10 * begun.length);
  });

  test('finds an absent resource present again if the cloud shows the resource again', async () => {
    await listed();
    cloud = many(19);
    await clock.advance(1);
    await listed();
    await clock.advance(apartMs);
    await listed();
    expect(await findAll([{ id: 's19' }])).toEqual(['absent']);
    cloud = many(20);
    await clock.advance(20_000);
    expect(await findAll([{ id: 's19' }])).toEqual(['present']);
  });

  test('finds hundreds of absent resources, most of them unused, present again when a LIST shows the resources', async () => {
    cloud = many(500);
    await listed();
    for (const { id } of many(400)) poller.acceptRemoval(id);
    cloud = many(100, 400);
    await clock.advance(1);
    await listed();
    expect(new Set(await findAll(many(400)))).toEqual(new Set(['absent']));
    cloud = many(500);
    await clock.advance(20_000);
    expect(new Set(await findAll(many(400)))).toEqual(new Set(['present']));
  });

  test('reports the start of the first failed poll as the start of the failure, until a LIST succeeds', async () => {
    await listed();
    expect(poller.failingSince).toBeUndefined();
    cloud = down();
    const began = clock.now();
    for (let n = 0; n < 2; n += 1) {
      const failed = cloudErrorOf(poller.since(clock.now()));
      await clock.advance(2_000);
      await failed;
    }
    expect(poller.failingSince).toBe(began + 100);
    cloud = many(20);
    await listed();
    expect(poller.failingSince).toBeUndefined();
  });

  test('proves no absence of a whole fleet while all GETs fail', async () => {
    await listed();
    listen();
    cloud = [];
    there = new CloudError({ operation: 'getService', kind: 'server', sent: true, fromApi: false });
    await clock.advance(120_000);
    expect(poller.failure).toMatchObject({ kind: 'unreadable' });
    expect([poller.latest?.items.size, changes]).toEqual([20, []]);
    expect(await find('s3')).toMatchObject({ state: 'present' });
    const looks = cloudErrorOf(poller.find('s3', { notBefore: clock.now(), absentFrom: 0 }));
    await clock.advance(30_000);
    expect(await looks).toMatchObject({ kind: 'unreadable' });
    there = new Set();
    await clock.advance(40_000);
    expect(
      await findAll(many(20)),
      'once it answers that they are not there, they are gone',
    ).toEqual(many(20).map(() => 'absent'));
  });

  test('proves no absence of a whole fleet while the cloud answers most GETs with 404 and fails for the rest', async () => {
    const failure = new CloudError({
      operation: 'getService',
      kind: 'server',
      sent: true,
      fromApi: false,
    });
    startPoller({
      knownIds: () => many(20).map(({ id }) => id),
      async get(id) {
        throw Number(id.slice(1)) % 5 > 0
          ? new CloudError({ operation: 'getService', kind: 'notFound', sent: true, fromApi: true })
          : failure;
      },
    });
    await listed();
    listen();
    cloud = [];
    await clock.advance(120_000);
    expect([poller.latest?.items.size, changes]).toEqual([20, []]);
  });

  test('proves a whole fleet absent when LISTs lack the services and the cloud answers the GETs with 404', async () => {
    await listed();
    listen();
    cloud = [];
    await clock.advance(80_000);
    expect(poller.failure).toBeUndefined();
    expect(await findAll(many(20))).toEqual(many(20).map(() => 'absent'));
  });

  test('counts a LIST as complete only once the cloud no longer finds any resource that the LIST lacks', async () => {
    await listed();
    cloud = many(18);
    await clock.advance(1);
    there = new Set(['s18']);
    for (let n = 0; n < 5; n += 1) {
      expect(await poller.unexplained(await listed())).toEqual(['s18']);
      await clock.advance(4_000);
    }
    there = new Set();
    expect(await poller.unexplained(await listed())).toEqual([]);
  });

  test('proves no absence by a GET that always fails, which delays no proof about a further resource', async () => {
    await listed();
    cloud = many(18);
    await clock.advance(1);
    await listed();
    there = new CloudError({ operation: 'getService', kind: 'server', sent: true, fromApi: false });
    expect(await cloudErrorOf(find('s18'))).toBe(there);
    await clock.advance(10_000);
    const failure = there;
    there = new Set();
    await listed();
    expect(await findAll([{ id: 's19' }])).toEqual(['absent']);
    there = failure;
    expect(await cloudErrorOf(find('s18')), 'a cloud that fails may fail with its lists, too').toBe(
      there,
    );
    await clock.advance(600_000);
    await listed();
    expect(await cloudErrorOf(find('s18')), 'lists alone prove nothing').toBe(there);
  });

  test('needs LISTs that are ten seconds apart for a kind without a GET, and reports the time of the next check', async () => {
    startPoller();
    await listed();
    cloud = many(19);
    await clock.advance(1);
    const { begunAt } = await listed();
    expect(await find('s19')).toEqual({ state: 'missing', again: begunAt + 10_000 });
    await clock.advance(10_000);
    expect(await findAll([{ id: 's19' }])).toEqual(['absent']);
  });
});
