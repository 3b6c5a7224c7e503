import { expect, test } from 'vitest';
import { controller, type Controller, type Requeue } from '../../../src/runtime/controller.ts';
import { KubernetesError } from '../../../src/runtime/kubernetes-error.ts';
import { resourceKey, type ResourceKey } from '../../../src/runtime/kubernetes-object.ts';
import { handClock, settled } from '../../support/hand-clock.ts';

const orders = resourceKey('shop', 'orders');
const carts = resourceKey('shop', 'carts');
const hourMs = 3_600_000;

interface Visit {
  readonly key: ResourceKey;
  readonly at: number;
  readonly signal: AbortSignal;
  end(requeue: Requeue): void;
  fail(error: Error): void;
}

/** A controller whose visits end when the test says so. */
function handled(
  options: { workers?: number; random?: () => number; groupOf?: (key: ResourceKey) => string } = {},
) {
  const clock = handClock();
  const startedAt = clock.now();
  const visits: Visit[] = [];
  const errors: {
    readonly key: ResourceKey;
    readonly error: unknown;
    readonly retryInMs: number;
  }[] = [];
  const made: Controller = controller({
    name: 'test',
    workers: 1,
    clock,
    random: () => 0,
    ...options,
    reconcile(key, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<Requeue>();
      visits.push({ key, at: clock.now() - startedAt, signal, end: resolve, fail: reject });
      return promise;
    },
    onError: (key, error, retryInMs) => void errors.push({ key, error, retryInMs }),
  });
  return { clock, visits, errors, controller: made };
}

/** A controller whose visits end at once, as `reconcile` says. */
function prompt(reconcile: (key: ResourceKey) => Requeue) {
  const clock = handClock();
  const startedAt = clock.now();
  const visits: { readonly key: ResourceKey; readonly at: number }[] = [];
  const made = controller({
    name: 'test',
    workers: 2,
    clock,
    random: () => 0,
    reconcile(key) {
      visits.push({ key, at: clock.now() - startedAt });
      return Promise.resolve().then(() => reconcile(key));
    },
    onError: () => undefined,
  });
  made.start();
  const timesOf = (wanted: ResourceKey) =>
    visits.filter(({ key }) => key === wanted).map(({ at }) => at);
  return { clock, timesOf, controller: made };
}

test('the controller visits no key before its start, and then all added keys', async () => {
  const { visits, controller: made } = handled({ workers: 2 });
  made.enqueue(orders);
  made.enqueue(carts);
  await settled();
  expect(visits).toHaveLength(0);
  expect(made.queued).toBe(2);
  made.start();
  expect(visits.map(({ key }) => key)).toEqual([orders, carts]);
});

test('no more keys are worked at a time than there are workers', async () => {
  const { visits, controller: made } = handled({ workers: 2 });
  made.start();
  for (const name of ['a', 'b', 'c', 'd']) made.enqueue(resourceKey('shop', name));
  await settled();
  expect(visits).toHaveLength(2);
  visits[1]?.end('forget');
  await settled();
  expect(visits.map(({ key }) => key)).toEqual(['shop/a', 'shop/b', 'shop/c']);
  expect(made.queued).toBe(1);
});

test('a group whose visits all hang keeps no other group waiting', async () => {
  const { visits, controller: made } = handled({
    workers: 2,
    groupOf: (key) => key.split('/')[0] ?? '',
  });
  made.start();
  for (const priority of ['edit', 'resync'] as const)
    for (let n = 0; n < 10; n += 1)
      made.enqueue(resourceKey('hangs', `${priority}-${n}`), { priority });
  made.enqueue(orders);
  made.enqueue(carts, { priority: 'resync' });
  await settled();
  expect(visits.map(({ key }) => key)).toEqual([
    'hangs/edit-0',
    'hangs/edit-1',
    'hangs/resync-0',
    orders,
    carts,
  ]);
});

test.each([
  [32, 4],
  [8, 1],
  [1, 1],
])('of %i workers for edits, resyncs have %i of their own', async (workers, expected) => {
  const { visits, controller: made } = handled({ workers });
  made.start();
  for (let n = 0; n < 40; n += 1) {
    made.enqueue(resourceKey('shop', `resync-${n}`), { priority: 'resync' });
    made.enqueue(resourceKey('shop', `edit-${n}`));
  }
  await settled();
  const running = (what: string) =>
    visits.filter(({ key }) => key.startsWith(`shop/${what}`)).length;
  expect([running('edit'), running('resync')]).toEqual([workers, expected]);
});

test('a key that is woken during its visit is visited again after it, with workers to spare', async () => {
  const { visits, controller: made } = handled({ workers: 4 });
  made.start();
  made.enqueue(orders);
  made.enqueue(orders);
  await settled();
  expect(visits).toHaveLength(1);
  visits[0]?.end('forget');
  await settled();
  expect(visits).toHaveLength(2);
});

test('a visit that requests a next visit gets the next visit at the requested time', async () => {
  let times = 0;
  const {
    clock,
    timesOf,
    controller: made,
  } = prompt(() => (++times < 3 ? { afterMs: 5_000 } : 'forget'));
  made.enqueue(orders);
  await clock.advance(hourMs);
  expect(timesOf(orders)).toEqual([0, 5_000, 10_000]);
});

test('a throw backs off that key alone, longer each time and never more than five minutes', async () => {
  const {
    clock,
    timesOf,
    controller: made,
  } = prompt((key) => {
    if (key === orders) throw new Error('a bug');
    return { afterMs: 60_000 };
  });
  made.enqueue(orders);
  made.enqueue(carts);
  await clock.advance(hourMs);
  const times = timesOf(orders);
  const delays = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  expect(delays.slice(0, 11)).toEqual([
    1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000,
  ]);
  expect(timesOf(carts)).toHaveLength(61);
});

test('a success resets the back-off of a key', async () => {
  const outcomes = ['throw', 'throw', 'return', 'throw', 'return'];
  const {
    clock,
    timesOf,
    controller: made,
  } = prompt(() => {
    if (outcomes.shift() === 'throw') throw new Error('a bug');
    return outcomes.length > 0 ? { afterMs: 100_000 } : 'forget';
  });
  made.enqueue(orders);
  await clock.advance(hourMs);
  expect(timesOf(orders)).toEqual([0, 1_000, 3_000, 103_000, 104_000]);
});

test('the delay of a back-off is spread, and told with the error', async () => {
  const { visits, errors, controller: made } = handled({ random: () => 0.5 });
  made.start();
  made.enqueue(orders);
  const bug = new Error('a bug');
  visits[0]?.fail(bug);
  await settled();
  expect(errors).toEqual([{ key: orders, error: bug, retryInMs: 1_125 }]);
});

test.each([
  ['longer than the back-off', 7_000, 7_000],
  ['shorter than the back-off', 200, 1_000],
])(
  'a key is left alone for as long as the API server asks for: %s',
  async (_what, retryAfterMs, expected) => {
    const { visits, errors, controller: made } = handled();
    made.start();
    made.enqueue(orders);
    visits[0]?.fail(
      new KubernetesError({
        operation: 'patch',
        kind: 'tooManyRequests',
        status: 429,
        retryAfterMs,
      }),
    );
    await settled();
    expect(errors.map(({ retryInMs }) => retryInMs)).toEqual([expected]);
  },
);

test('the controller is idle with nothing but resyncs to come, and neither during a visit nor while a key backs off', async () => {
  const { clock, visits, controller: made } = handled();
  made.start();
  expect(made.idle).toBe(true);
  made.enqueue(orders);
  expect(made.idle).toBe(false);
  visits[0]?.fail(new Error('a bug'));
  await settled();
  expect(made.idle).toBe(false);
  await clock.advance(1_000);
  visits[1]?.end({ afterMs: hourMs });
  await settled();
  expect(made.idle).toBe(false);
  await clock.advance(hourMs);
  visits[2]?.end({ afterMs: hourMs, resync: true });
  await settled();
  expect(made.idle).toBe(true);
});

test('after an edit, a resync that is planned for later takes no worker of edits', async () => {
  const { clock, visits, controller: made } = handled();
  made.start();
  made.enqueue(orders);
  visits[0]?.end({ afterMs: hourMs, resync: true });
  await clock.advance(hourMs);
  made.enqueue(carts);
  await settled();
  expect(visits.map(({ key }) => key)).toEqual([orders, orders, carts]);
});

test('stop waits for a visit that ends in time, without aborting it, and begins no other', async () => {
  const { visits, controller: made } = handled();
  made.start();
  made.enqueue(orders);
  made.enqueue(carts);
  let isStopped = false;
  const stopped = made.stop(60_000).then(() => (isStopped = true));
  await settled();
  expect(isStopped).toBe(false);
  expect(visits[0]?.signal.aborted).toBe(false);
  visits[0]?.end('forget');
  await stopped;
  made.enqueue(carts);
  await settled();
  expect(visits.map(({ key }) => key)).toEqual([orders]);
  expect(made.queued).toBe(0);
});

test('stop aborts a visit that takes too long, and its failure is no news', async () => {
  const { visits, errors, controller: made } = handled();
  made.start();
  made.enqueue(orders);
  const [visit] = visits;
  visit?.signal.addEventListener('abort', () => visit.fail(new Error('aborted')));
  await made.stop(1);
  expect(visit?.signal.aborted).toBe(true);
  expect(errors).toEqual([]);
});

test('stop gives up a visit that does not hear of its abort', async () => {
  const { visits, controller: made } = handled();
  made.start();
  made.enqueue(orders);
  await made.stop(1);
  expect(visits[0]?.signal.aborted).toBe(true);
});
