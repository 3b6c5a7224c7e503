import { afterEach, expect, test, vi } from 'vitest';
import { Poller } from '../../../src/cloud/poller.ts';
import { systemClock } from '../../../src/runtime/index.ts';

const hourMs = 3_600_000;

afterEach(() => void vi.useRealTimers());

test.each([
  ['back', -hourMs],
  ['forward', hourMs],
])(
  'the age of a list does not change if the wall clock is set %s by an hour',
  async (_where, stepMs) => {
    let services = ['orders'];
    using poller = disposable(
      new Poller({
        operation: 'listServices',
        list: () => Promise.resolve(services),
        idOf: (id) => id,
        clock: systemClock,
        random: () => 0,
      }),
    );
    const before = await poller.since(systemClock.now());
    expect([...before.items.keys()]).toEqual(['orders']);
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(Date.now() + stepMs);
    services = ['orders', 'carts'];
    const after = await poller.since(systemClock.now());
    expect([...after.items.keys()]).toEqual(['orders', 'carts']);
    expect(after.begunAt - before.begunAt).toBeLessThan(60_000);
  },
);

function disposable<T extends { stop(): void }>(poller: T): T & Disposable {
  return Object.assign(poller, { [Symbol.dispose]: () => poller.stop() });
}
