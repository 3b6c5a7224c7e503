import { expect, test } from 'vitest';
import { controller, type Controller, type Requeue } from '../../../src/runtime/controller.ts';
import { resourceKey, type ResourceKey } from '../../../src/runtime/kubernetes-object.ts';
import { goOnAsEdit, parked } from '../../../src/runtime/parked.ts';
import { handClock, settled } from '../../support/hand-clock.ts';

const key = (name: string) => resourceKey('shop', name);

/** Visits by name, and what they did, in order. */
function visiting(
  visits: Readonly<Record<string, () => Promise<unknown>>>,
  options: { workers?: number; groupOf?: (key: ResourceKey) => string } = {},
) {
  const told: string[] = [];
  const made: Controller = controller({
    name: 'test',
    workers: 1,
    ...options,
    clock: handClock(),
    random: () => 0,
    async reconcile(visited: ResourceKey): Promise<Requeue> {
      const name = visited.slice('shop/'.length);
      told.push(`${name} begins`);
      await visits[name]?.();
      told.push(`${name} ends`);
      return 'forget';
    },
    onError: (_key, error) => void told.push(String(error)),
  });
  made.start();
  return {
    told,
    controller: made,
    visit: (...names: string[]) => names.forEach((name) => made.enqueue(key(name))),
    resync: (...names: string[]) => names.forEach((name) => made.enqueue(key(name), { priority: 'resync' })),
  };
}

const numbered = (count: number, prefix = 'n') => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

/** The same visit for each of these. */
const alike = (names: readonly string[], visit: () => Promise<unknown>) => Object.fromEntries(names.map((name) => [name, visit]));

/** Something that is waited for until the test says so. */
const wait = () => Promise.withResolvers<string>();

test('a visit that waits lets others have its worker, and goes on before those who have not begun', async () => {
  const list = wait();
  const other = wait();
  const { told, visit } = visiting({
    orders: async () => expect(await parked(list.promise)).toBe('listed'),
    carts: () => other.promise,
  });
  visit('orders', 'carts', 'users');
  await settled();
  expect(told).toEqual(['orders begins', 'carts begins']);
  list.resolve('listed');
  await settled();
  expect(told).toEqual(['orders begins', 'carts begins']); // the only worker is with the other
  other.resolve('');
  await settled();
  expect(told.slice(2)).toEqual(['carts ends', 'orders ends', 'users begins', 'users ends']);
});

test('a visit that waits is still visited by nobody else, and comes again when it was woken', async () => {
  const list = wait();
  const { told, visit, controller: made } = visiting({ orders: () => parked(list.promise) });
  visit('orders');
  visit('orders');
  await settled();
  expect(told).toEqual(['orders begins']);
  expect(made.idle).toBe(false);
  list.resolve('');
  await settled();
  expect(told).toEqual(['orders begins', 'orders ends', 'orders begins', 'orders ends']);
  expect(made.idle).toBe(true);
});

test('a wait that fails is thrown where it was waited for, with a worker', async () => {
  const list = wait();
  const { told, visit } = visiting({
    orders: async () => {
      await expect(parked(list.promise)).rejects.toThrow('no list');
    },
  });
  visit('orders');
  await settled();
  list.reject(new Error('no list'));
  await settled();
  expect(told).toEqual(['orders begins', 'orders ends']);
});

test('no worker is lost or made by waits that overlap, follow each other or outlive their visit', async () => {
  const waits = Array.from({ length: 4 }, wait);
  const at = (index: number) => parked(waits[index]?.promise ?? Promise.resolve(''));
  const forGood = wait();
  const { told, visit } = visiting(
    {
      overlapping: () => Promise.all([at(0), at(1).then(() => at(2))]),
      outlived: () => {
        void at(3);
        return Promise.resolve();
      },
      a: () => forGood.promise,
      b: () => forGood.promise,
    },
    { workers: 1 },
  );
  visit('overlapping', 'outlived');
  for (const each of waits) {
    await settled();
    each.resolve('');
  }
  await settled();
  expect(told).toEqual(['overlapping begins', 'outlived begins', 'outlived ends', 'overlapping ends']);
  visit('a', 'b');
  await settled();
  expect(told.slice(4)).toEqual(['a begins']);
});

test('hundreds wait at a time, and as many as there are workers go on at a time', async () => {
  const warnings: Error[] = [];
  process.on('warning', (warning) => void warnings.push(warning));
  const list = wait();
  let running = 0;
  let most = 0;
  const names = numbered(300);
  const waiting = async () => {
    await parked(list.promise);
    most = Math.max(most, (running += 1));
    await settled();
    running -= 1;
  };
  const { told, visit } = visiting(alike(names, waiting), { workers: 3 });
  visit(...names);
  await settled();
  expect(told).toHaveLength(300);
  list.resolve('');
  while (told.length < 600) await settled();
  expect(most).toBe(3);
  expect(warnings).toEqual([]); // of listeners that look like a leak
});

test('of a thousand some hundred wait, and each of the others begins when one has ended', async () => {
  const list = wait();
  const names = numbered(1_000);
  let open = 0;
  let most = 0;
  const waiting = async () => {
    most = Math.max(most, (open += 1));
    await parked(list.promise);
    open -= 1;
  };
  const { told, visit } = visiting(alike(names, waiting), { workers: 3 });
  visit(...names);
  await settled();
  expect(told).toHaveLength(500);
  list.resolve('');
  while (told.length < 2_000) await settled();
  expect(most).toBe(500);
});

test('a group has as many visits as workers, though another one has all others waiting', async () => {
  const list = wait();
  const slow = numbered(600, 'a-n');
  const { told, visit } = visiting(
    alike([...slow, 'b-1', 'b-2', 'b-3'], () => parked(list.promise)),
    {
      workers: 2,
      groupOf: (of) => of.slice('shop/'.length, 'shop/a'.length),
    },
  );
  visit(...slow);
  await settled();
  visit('b-1', 'b-2', 'b-3');
  await settled();
  expect(told.length).toBe(502);
  expect(told.slice(-2)).toEqual(['b-1 begins', 'b-2 begins']);
  list.resolve('');
});

test('resyncs have an eighth of the workers, also after a wait, and edits have the others', async () => {
  const [list, others] = [wait(), wait()];
  const names = numbered(40);
  const { told, visit, resync } = visiting(
    alike([...names, 'edited'], async () => {
      await parked(list.promise);
      await others.promise;
    }),
    { workers: 16 },
  );
  resync(...names);
  visit('edited');
  await settled();
  expect(told).toHaveLength(41); // none waits for a worker: all wait for the list
  const running = numbered(2).concat('edited');
  list.resolve('');
  await settled();
  others.resolve('');
  await settled();
  expect(told.slice(41, 44)).toEqual(running.map((name) => `${name} ends`));
});

test('a resync takes no worker that an edit could have, and an edit needs none that a resync has', async () => {
  const forGood = wait();
  const { told, visit, resync } = visiting(
    alike([...numbered(4), ...numbered(4, 'e')], () => forGood.promise),
    { workers: 3 },
  );
  resync(...numbered(4));
  visit(...numbered(4, 'e'));
  await settled();
  expect(told).toEqual(['n0 begins', 'e0 begins', 'e1 begins']);
});

test('an edit of what returns from a wait goes on before the resyncs that were there first', async () => {
  const [list, worker] = [wait(), wait()];
  const { told, visit, resync } = visiting({
    ...alike(numbered(3), () => parked(list.promise)),
    busy: () => worker.promise,
  });
  resync(...numbered(3), 'busy');
  await settled();
  list.resolve('');
  await settled();
  visit('n2');
  worker.resolve('');
  await settled();
  expect(told.slice(4, 6)).toEqual(['busy ends', 'n2 ends']);
  expect(told.filter((line) => line === 'n2 begins')).toHaveLength(2);
});

test('a resync that finds work leaves its worker to other resyncs', async () => {
  const forGood = wait();
  const { told, resync } = visiting(
    alike(numbered(4), () => {
      goOnAsEdit();
      return forGood.promise;
    }),
    { workers: 3 },
  );
  resync(...numbered(4));
  await settled();
  expect(told).toEqual(['n0 begins', 'n1 begins', 'n2 begins']); // no more than there are workers
});

test('a visit that ends without its wait makes room, too', async () => {
  const list = wait();
  const names = numbered(501);
  const leaving = Promise.withResolvers<void>();
  const { told, visit } = visiting(
    Object.fromEntries(
      names.map((name, index) => [
        name,
        () => (index === 0 ? Promise.race([parked(list.promise), leaving.promise]) : parked(list.promise)),
      ]),
    ),
    { workers: 3 },
  );
  visit(...names);
  await settled();
  expect(told).not.toContain('n500 begins');
  leaving.resolve();
  await settled();
  expect(told.slice(-2)).toEqual(['n0 ends', 'n500 begins']);
  list.resolve('');
});

test('outside of a visit it is just the promise', async () => {
  await expect(parked(Promise.resolve('listed'))).resolves.toBe('listed');
});

test('a stop ends the waits that are not over', async () => {
  const {
    told,
    visit,
    controller: made,
  } = visiting({
    orders: () => parked(wait().promise).catch((error: unknown) => told.push(String(error))),
  });
  visit('orders');
  await settled();
  await made.stop(0);
  expect(told).toEqual(['orders begins', 'Error: the operator is stopping', 'orders ends']);
});

test('what a wait has brought is not lost in a stop, though no worker is free', async () => {
  const answer = wait();
  const stuck = wait();
  const {
    told,
    visit,
    controller: made,
  } = visiting({
    orders: async () => told.push(await parked(answer.promise)),
    carts: () => stuck.promise,
  });
  visit('orders', 'carts');
  await settled();
  answer.resolve('answered');
  await settled();
  expect(told).toEqual(['orders begins', 'carts begins']);
  const stopped = made.stop(0);
  while (!told.includes('answered')) await settled();
  stuck.resolve('');
  await stopped;
  expect(told.slice(2, 4)).toEqual(['answered', 'orders ends']);
});
