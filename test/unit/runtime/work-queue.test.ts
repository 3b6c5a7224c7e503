import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resourceKey, type ResourceKey } from '../../../src/runtime/kubernetes-object.ts';
import { workQueue, type Priority, type WorkQueue } from '../../../src/runtime/work-queue.ts';
import { handClock } from '../../support/hand-clock.ts';

const orders = resourceKey('shop', 'orders');
const carts = resourceKey('shop', 'carts');
const edit = { priority: 'edit', resync: false } as const;
const resync = { priority: 'resync', resync: true } as const;

const unlimited = { edit: Infinity, resync: Infinity };

function emptyQueue() {
  const clock = handClock();
  return { clock, queue: workQueue({ clock, slots: unlimited }) };
}

test('a key that is added often is taken once', () => {
  const { queue } = emptyQueue();
  queue.add(orders, 'edit');
  queue.add(orders, 'edit');
  queue.add(orders, 'resync');
  expect(queue.length).toBe(1);
  expect(queue.take()?.key).toBe(orders);
  expect(queue.take()).toBeUndefined();
});

test('a key that is added during its visit is taken again after the visit, and not before', () => {
  const { queue } = emptyQueue();
  queue.add(orders, 'edit');
  queue.take();
  queue.add(orders, 'edit');
  queue.add(orders, 'resync');
  expect(queue.take()).toBeUndefined();
  queue.done(orders);
  expect(queue.take()).toMatchObject({ key: orders, priority: 'edit' });
  queue.done(orders);
  expect(queue.take()).toBeUndefined();
});

test('edits are taken before resyncs, both in the order of their arrival', () => {
  const { queue } = emptyQueue();
  const names = ['a', 'b', 'c', 'd'].map((name) => resourceKey('shop', name));
  names.forEach((key, index) => queue.add(key, index < 2 ? 'resync' : 'edit'));
  expect(names.map(() => queue.take()?.key)).toEqual([names[2], names[3], names[0], names[1]]);
});

test('an edit moves a key that waits for its resync to the edits', () => {
  const { queue } = emptyQueue();
  queue.add(carts, 'resync');
  queue.add(orders, 'resync');
  queue.add(orders, 'edit');
  expect(queue.take()).toMatchObject({ key: orders, priority: 'edit' });
  expect(queue.take()).toMatchObject({ key: carts, priority: 'resync' });
});

test.each([
  ['after', [1_000, 5_000]],
  ['before', [5_000, 1_000]],
])(
  'an earlier time wins over a later time that is planned %s the earlier time',
  (_when, delays) => {
    const { clock, queue } = emptyQueue();
    for (const delay of delays) queue.addAfter(orders, delay, edit);
    clock.pass(999);
    expect(queue.take()).toBeUndefined();
    clock.pass(1);
    expect(queue.take()?.key).toBe(orders);
    queue.done(orders);
    clock.pass(10_000);
    expect(queue.take()).toBeUndefined();
  },
);

test('a visit that begins cancels the planned visit of its key', () => {
  const { clock, queue } = emptyQueue();
  queue.addAfter(orders, 5_000, edit);
  queue.add(orders, 'edit');
  queue.take();
  queue.done(orders);
  clock.pass(10_000);
  expect(queue.take()).toBeUndefined();
});

test('a visit that is planned during a visit of the same key is kept', () => {
  const { clock, queue } = emptyQueue();
  queue.add(orders, 'edit');
  queue.take();
  queue.addAfter(orders, 5_000, edit);
  queue.done(orders);
  clock.pass(5_000);
  expect(queue.take()?.key).toBe(orders);
});

test('the queue is quiet with a planned resync, but not with a planned visit for an edit', () => {
  const { clock, queue } = emptyQueue();
  queue.addAfter(orders, 5_000, resync);
  expect(queue.quiet).toBe(true);
  queue.addAfter(carts, 5_000, edit);
  expect(queue.quiet).toBe(false);
  clock.pass(5_000);
  for (const _ of [1, 2]) queue.take();
  expect(queue.quiet).toBe(false);
  queue.done(orders);
  queue.done(carts);
  expect(queue.quiet).toBe(true);
});

test.each([
  ['later than', 5_000, 9_000],
  ['earlier than', 9_000, 5_000],
])(
  'a planned resync %s a planned visit for an edit does not hide the edit',
  (_order, resyncMs, visitMs) => {
    const { clock, queue } = emptyQueue();
    queue.addAfter(orders, visitMs, edit);
    queue.addAfter(orders, resyncMs, resync);
    expect(queue.quiet).toBe(false);
    clock.pass(5_000);
    expect(queue.take()).toMatchObject({ key: orders, priority: 'edit' });
  },
);

test('a closed queue gives nothing and takes nothing, now or later', () => {
  const { clock, queue } = emptyQueue();
  queue.add(orders, 'edit');
  queue.addAfter(carts, 1_000, edit);
  queue.close();
  queue.add(carts, 'edit');
  queue.addAfter(orders, 1_000, edit);
  clock.pass(10_000);
  expect(queue.take()).toBeUndefined();
  expect(queue.quiet).toBe(true);
});

/** A promise of the queue: this key is visited, beginning at that moment or later. */
interface Promised {
  readonly key: ResourceKey;
  readonly at: number;
  readonly priority: Priority;
  readonly resync: boolean;
}

type Move =
  | { readonly type: 'add'; readonly name: string; readonly priority: Priority }
  | {
      readonly type: 'addAfter';
      readonly name: string;
      readonly delayMs: number;
      readonly priority: Priority;
      readonly resync: boolean;
    }
  | { readonly type: 'take' }
  | { readonly type: 'done'; readonly name: string }
  | { readonly type: 'pass'; readonly ms: number };

const name = fc.constantFrom('a', 'b', 'c');
const priority = fc.constantFrom<Priority>('edit', 'resync');
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ type: fc.constant('add' as const), name, priority }),
  fc.record({
    type: fc.constant('addAfter' as const),
    name,
    delayMs: fc.integer({ min: 0, max: 9 }),
    priority,
    resync: fc.boolean(),
  }),
  fc.record({ type: fc.constant('take' as const) }),
  fc.record({ type: fc.constant('done' as const), name }),
  fc.record({ type: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 5 }) }),
);

function expectOneOf(due: readonly Promised[], taken: ReturnType<WorkQueue['take']>): void {
  expect(taken === undefined).toBe(due.length === 0);
  if (!taken) return;
  expect(due.map(({ key }) => key)).toContain(taken.key);
  const isEditDue = due.some((promise) => promise.priority === 'edit');
  expect(isEditDue ? ['edit'] : ['edit', 'resync']).toContain(taken.priority);
}

test(
  'after any sequence of operations the queue gives each key in time, a single visit at a time, edits first',
  { timeout: 30_000 },
  () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 60, size: 'max' }), (moves) => {
        const { clock, queue } = emptyQueue();
        let promises: Promised[] = [];
        const working = new Set<ResourceKey>();
        for (const step of moves) {
          switch (step.type) {
            case 'add':
              queue.add(resourceKey(undefined, step.name), step.priority);
              promises.push({
                key: resourceKey(undefined, step.name),
                at: clock.now(),
                priority: step.priority,
                resync: false,
              });
              break;
            case 'addAfter':
              queue.addAfter(resourceKey(undefined, step.name), step.delayMs, step);
              promises.push({
                ...step,
                key: resourceKey(undefined, step.name),
                at: clock.now() + step.delayMs,
              });
              break;
            case 'take': {
              const due = promises.filter(({ key, at }) => at <= clock.now() && !working.has(key));
              const taken = queue.take();
              expectOneOf(due, taken);
              promises = promises.filter(({ key }) => key !== taken?.key);
              if (taken) working.add(taken.key);
              break;
            }
            case 'done':
              if (working.delete(resourceKey(undefined, step.name)))
                queue.done(resourceKey(undefined, step.name));
              break;
            case 'pass':
              clock.pass(step.ms);
          }
          const isWaitedFor = promises.some(
            ({ resync: nobodyWaits, at }) => !nobodyWaits || at <= clock.now(),
          );
          expect(queue.quiet).toBe(working.size === 0 && !isWaitedFor);
        }
      }),
      { numRuns: 1_000 },
    );
  },
);

const keyFrom = (text: string) => resourceKey(text.split('/')[0], text.split('/')[1] ?? '');

/** A queue whose groups are the namespaces, and the keys that it gives until no slot is free. */
function grouped(slots: Record<Priority, number>) {
  const queue = workQueue({ clock: handClock(), slots, groupOf: (key) => key.split('/')[0] ?? '' });
  return {
    queue,
    add: (as: Priority, ...names: string[]) =>
      names.forEach((each) => queue.add(keyFrom(each), as)),
    done: (each: string) => queue.done(keyFrom(each)),
    takeAll: () => {
      const taken: string[] = [];
      for (let next = queue.take(); next; next = queue.take()) taken.push(next.key);
      return taken;
    },
  };
}

test('groups take turns, and a group without a free slot keeps no other group waiting', () => {
  const { add, done, takeAll } = grouped({ edit: 2, resync: 1 });
  add('edit', 'a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'c/1');
  expect(takeAll()).toEqual(['a/1', 'b/1', 'c/1', 'a/2', 'b/2']);
  done('a/1');
  expect(takeAll()).toEqual(['a/3']);
});

test('edits of a group take no slots of its resyncs, and resyncs no slots of its edits', () => {
  const { add, done, takeAll } = grouped({ edit: 2, resync: 1 });
  add('resync', 'a/1', 'a/2');
  add('edit', 'a/3', 'a/4', 'a/5');
  expect(takeAll()).toEqual(['a/3', 'a/4', 'a/1']);
  done('a/1');
  expect(takeAll()).toEqual(['a/2']);
  done('a/3');
  expect(takeAll()).toEqual(['a/5']);
});

test('a resync keeps its slot and its class when an edit of its key comes during the visit, and the edit has the next visit', () => {
  const { queue, add, done, takeAll } = grouped({ edit: 1, resync: 1 });
  add('resync', 'a/1', 'a/2');
  expect(takeAll()).toEqual(['a/1']);
  add('edit', 'a/1');
  expect(takeAll()).toEqual([]);
  done('a/1');
  expect([queue.take(), queue.take()]).toMatchObject([
    { key: 'a/1', priority: 'edit' },
    { key: 'a/2', priority: 'resync' },
  ]);
});

test('a slot that becomes free is announced', () => {
  const { queue, add, done, takeAll } = grouped({ edit: 1, resync: 1 });
  add('edit', 'a/1', 'a/2');
  takeAll();
  const told: string[][] = [];
  queue.onReady(() => told.push(takeAll()));
  done('a/1');
  expect(told).toEqual([['a/2']]);
});

test.each([
  [
    'many keys of a tenant do not keep a second tenant waiting',
    ['a/1', 'a/2', 'a/3', 'a/4', 'b/1'],
    ['a/1', 'b/1', 'a/2', 'a/3', 'a/4'],
  ],
  [
    'three tenants take turns, each in its own order',
    ['a/1', 'a/2', 'b/1', 'b/2', 'b/3', 'c/1'],
    ['a/1', 'b/1', 'c/1', 'a/2', 'b/2', 'b/3'],
  ],
  ['a single tenant keeps its own order', ['a/3', 'a/1', 'a/2'], ['a/3', 'a/1', 'a/2']],
  [
    'edits come before the resyncs of the tenant whose turn comes',
    ['a/1', 'b/1 resync', 'a/2', 'a/3 resync'],
    ['a/1', 'a/2', 'b/1', 'a/3'],
  ],
  [
    'resyncs of two tenants take turns',
    ['a/1 resync', 'a/2 resync', 'b/1 resync'],
    ['a/1', 'b/1', 'a/2'],
  ],
  [
    'an edit takes the turn of its tenant though its key waited for a resync',
    ['a/1', 'a/2', 'b/1 resync', 'b/1'],
    ['a/1', 'b/1', 'a/2'],
  ],
])('namespaces take turns: %s', (_what, added, expected) => {
  const { queue } = emptyQueue();
  for (const text of added) {
    const [key = '', isResync] = text.split(' ');
    const [namespace, object = ''] = key.split('/');
    queue.add(resourceKey(namespace, object), isResync ? 'resync' : 'edit');
  }
  expect(expected.map(() => queue.take()?.key)).toEqual(expected);
  expect(queue.take()).toBeUndefined();
  expect(queue.length).toBe(0);
});

test('a new tenant waits for one turn of each tenant, not for all their keys', () => {
  const { queue } = emptyQueue();
  for (let index = 0; index < 200; index += 1) queue.add(resourceKey('a', String(index)), 'edit');
  expect([queue.take()?.key, queue.take()?.key]).toEqual(['a/0', 'a/1']);
  queue.add(resourceKey('b', 'first'), 'edit');
  queue.add(resourceKey('c', 'first'), 'edit');
  expect([1, 2, 3].map(() => queue.take()?.key)).toEqual(['a/2', 'b/first', 'c/first']);
});

test('a key that comes again does not wait behind a thousand new keys of its namespace, and the new keys go on', () => {
  const { queue } = emptyQueue();
  const begun = Array.from({ length: 10 }, (_, index) => resourceKey('shop', `begun-${index}`));
  for (const key of begun) {
    queue.add(key, 'edit');
    queue.take();
    queue.done(key);
  }
  const fresh = Array.from({ length: 1_000 }, (_, index) => resourceKey('shop', `new-${index}`));
  for (const key of [...fresh, ...begun]) queue.add(key, 'edit');
  const taken = Array.from({ length: 13 }, () => queue.take()?.key);
  expect(taken).toEqual([
    ...begun.slice(0, 4),
    fresh[0],
    ...begun.slice(4, 8),
    fresh[1],
    ...begun.slice(8),
    fresh[2],
  ]);
});

test('a key that was forgotten counts as new, so that the queue remembers no deleted object', () => {
  const { queue } = emptyQueue();
  queue.add(orders, 'edit');
  queue.take();
  queue.done(orders);
  queue.forget(orders);
  queue.add(carts, 'edit');
  queue.add(orders, 'edit');
  expect(queue.take()?.key).toBe(carts);
});

test('the observer of a queue is notified of a key added repeatedly once until the key is taken, and once more during its visit', () => {
  const told: string[] = [];
  const observer = {
    added: () => told.push('added'),
    taken: () => told.push('taken'),
    done: () => told.push('done'),
  };
  const queue = workQueue({ clock: handClock(), slots: unlimited, observer });
  queue.add(orders, 'resync');
  queue.add(orders, 'edit');
  queue.take();
  expect(queue.workingMs).toHaveLength(1);
  queue.add(orders, 'resync');
  queue.add(orders, 'edit');
  queue.done(orders);
  expect(queue.workingMs).toEqual([]);
  queue.take();
  queue.done(orders);
  expect(told).toEqual(['added', 'taken', 'added', 'done', 'taken', 'done']);
});

/** A queue whose clock counts the timers that are set. */
function counted() {
  const clock = handClock();
  const state = { timers: 0 };
  const schedule = (delayMs: number, run: () => void): Disposable => {
    state.timers += 1;
    const end = () => void (state.timers -= 1);
    const timer = clock.schedule(delayMs, () => {
      end();
      run();
    });
    return {
      [Symbol.dispose]() {
        end();
        timer[Symbol.dispose]();
      },
    };
  };
  return { clock, state, queue: workQueue({ clock: { ...clock, schedule }, slots: unlimited }) };
}

describe('planned keys', () => {
  const keys = Array.from({ length: 1_000 }, (_, index) => resourceKey('shop', `orders-${index}`));

  test('share one timer, however many they are, in whatever order they come', async () => {
    const { clock, state, queue } = counted();
    for (const [index, key] of keys.entries())
      queue.addAfter(key, 1 + ((index * 7_919) % keys.length), resync);
    expect(state.timers).toBe(1);
    for (let passed = 1; passed <= keys.length; passed++) {
      await clock.advance(1);
      expect(queue.length).toBe(passed);
    }
    expect(state.timers).toBe(0);
  });

  test('that are taken before their planned time are not taken again at the planned time', async () => {
    const { clock, queue } = counted();
    for (let round = 0; round < 10; round++)
      for (const key of keys) {
        queue.addAfter(key, 60_000 + round, resync);
        queue.add(key, 'edit');
        queue.done(queue.take()?.key ?? orders);
      }
    await clock.advance(100_000);
    expect(queue.length).toBe(0);
    queue.addAfter(orders, 5, resync);
    await clock.advance(5);
    expect(queue.take()?.key).toBe(orders);
  });
});
