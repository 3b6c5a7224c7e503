import { expect, test } from 'vitest';
import { Poller } from '../../../../src/cloud/poller.ts';
import { listSubscriptions } from '../../../../src/reconcile/wiring/list-subscriptions.ts';
import {
  objectReference,
  resourceKey,
  type ObjectReference,
} from '../../../../src/runtime/index.ts';
import { handClock } from '../../../support/hand-clock.ts';

const user = (name: string) => objectReference('ManagedService', resourceKey('shop', name));
const [orders, bills] = [user('orders'), user('bills')];

/** Two lists that are polled while an object follows them, their items, and the woken objects. */
function lists() {
  const clock = handClock();
  const woken: ObjectReference[] = [];
  const pollsOf = { a: 0, b: 0 };
  let items = [{ id: '1' }, { id: '2' }];
  const poller = (name: keyof typeof pollsOf) =>
    new Poller({
      operation: 'listServices',
      list: () => {
        pollsOf[name] += 1;
        return Promise.resolve(items);
      },
      idOf: ({ id }: { id: string }) => id,
      clock,
      random: () => 0,
    });
  return {
    subscriptions: listSubscriptions((each) => woken.push(each)),
    a: poller('a'),
    b: poller('b'),
    show: (...ids: readonly string[]) => {
      items = ids.map((id) => ({ id }));
    },
    /** Which are asked for within two minutes. */
    polled: async () => {
      const before = { ...pollsOf };
      woken.length = 0;
      await clock.advance(120_500);
      return (['a', 'b'] as const).filter((name) => pollsOf[name] > before[name]);
    },
    /** How often the more polled list is polled within two minutes: two or three times if no object waits. */
    mostPolls: async () => {
      const before = { ...pollsOf };
      await clock.advance(121_000);
      return Math.max(pollsOf.a - before.a, pollsOf.b - before.b);
    },
    woken,
  };
}

test('a list that no object follows any more is not polled', async () => {
  const { subscriptions: followed, a, b, polled } = lists();
  followed.follow(orders, [{ list: a, ids: ['1'] }]);
  followed.follow(bills, [{ list: a, ids: ['2'] }]);
  expect(await polled()).toEqual(['a']);
  followed.follow(orders, [{ list: b, ids: ['1'] }]);
  expect(await polled()).toEqual(['a', 'b']);
  followed.follow(bills, []);
  expect(await polled()).toEqual(['b']);
  followed.forget(orders);
  expect(await polled()).toEqual([]);
});

test('an object that follows a list is woken exactly by changes of the ids that the object follows', async () => {
  const { subscriptions: followed, a, show, polled, woken } = lists();
  followed.follow(orders, [{ list: a, ids: ['1'] }]);
  followed.follow(bills, [{ list: a, ids: 'all' }]);
  await polled();
  show('1', '3');
  await polled();
  expect(woken).toEqual([bills]);
  followed.follow(orders, [
    { list: a, ids: ['1'] },
    { list: a, ids: ['3'] },
  ]);
  show('1');
  await polled();
  expect(new Set(woken)).toEqual(new Set([orders, bills]));
  followed.follow(orders, [{ list: a, ids: ['1'] }]);
  show('1', '3');
  await polled();
  expect(woken).toEqual([bills]);
});

test('work that is followed is polled for until it ends, or the object leaves it: for another list, for another id, or for good', async () => {
  const { subscriptions: followed, a, b, mostPolls } = lists();
  followed.follow(orders, [{ list: a, ids: ['1'] }]);
  followed.trackProgress(orders, { list: a, id: '1', since: 1_000_000 });
  expect(await mostPolls()).toBeGreaterThan(7);
  followed.trackProgress(orders, undefined);
  expect(await mostPolls()).toBeLessThan(4);

  followed.trackProgress(orders, { list: a, id: '1', since: 1_000_000 });
  followed.follow(bills, [{ list: a, ids: ['2'] }]);
  followed.follow(orders, [{ list: b, ids: ['1'] }]);
  expect(await mostPolls(), 'another list').toBeLessThan(4);

  followed.trackProgress(orders, { list: b, id: '1', since: 1_000_000 });
  followed.trackProgress(orders, { list: b, id: '2', since: 1_000_000 });
  followed.trackProgress(orders, undefined);
  expect(await mostPolls(), 'another id').toBeLessThan(4);

  followed.trackProgress(orders, { list: b, id: '2', since: 1_000_000 });
  followed.forget(orders);
  expect(await mostPolls(), 'for good').toBeLessThan(4);
});
