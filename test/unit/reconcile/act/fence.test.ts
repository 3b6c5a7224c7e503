import { afterEach, describe, expect, test, vi } from 'vitest';
import { fenceAfterLook, sendFence } from '../../../../src/reconcile/act/fence.ts';
import type { KubernetesClient } from '../../../../src/runtime/index.ts';
import { serviceObject } from '../../../support/situation.ts';

afterEach(() => void vi.useRealTimers());

test('a request may go for ten seconds, as both clocks tell', () => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  const mayBeSent = sendFence({ held: true });
  vi.advanceTimersByTime(9_999);
  expect(mayBeSent()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(mayBeSent()).toBe(false);
});

test.each([-20_000, 20_000])('a wall clock that was set by %d ms forbids it: the process may have slept', (byMs) => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  const mayBeSent = sendFence({ held: true });
  vi.setSystemTime(Date.now() + byMs);
  expect(mayBeSent()).toBe(false);
});

test('a wall clock that goes back meanwhile makes no request young again', () => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  const begun = Date.now();
  const mayBeSent = sendFence({ held: true });
  vi.advanceTimersByTime(11_000);
  vi.setSystemTime(begun);
  expect(mayBeSent()).toBe(false);
});

test('without the lease nothing goes, however young', () => {
  const leadership = { held: true };
  const mayBeSent = sendFence(leadership);
  expect(mayBeSent()).toBe(true);
  leadership.held = false;
  expect(mayBeSent()).toBe(false);
});

/** A cluster in which a look at the object takes a second. */
function looked(live: object | undefined) {
  const looks: string[] = [];
  const kubernetes: Pick<KubernetesClient, 'get'> = {
    get(type, key) {
      looks.push(key);
      vi.advanceTimersByTime(1_000);
      return Promise.resolve(live && type.parse(live));
    },
  };
  return { looks, kubernetes };
}

describe('where processes share the objects', () => {
  const shard = { lookMs: 3_000, isOurs: () => true, catchUp: () => Promise.resolve() };
  const leadership = { held: true };
  const seen = serviceObject();

  test('a request may go for as long as the look counts, from its begin', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
    const { looks, kubernetes } = looked(seen);
    const mayBeSent = await fenceAfterLook(seen, { leadership, shard, kubernetes });
    expect(looks).toEqual(['shop/orders']);
    vi.advanceTimersByTime(1_999);
    expect(mayBeSent()).toBe(true);
    vi.advanceTimersByTime(1);
    expect(mayBeSent()).toBe(false);
  });

  test.each([
    [
      'has another version, such as one with the label of another process',
      { ...seen, metadata: { ...seen.metadata, resourceVersion: '2' } },
    ],
    ['is another of its name', { ...seen, metadata: { ...seen.metadata, uid: 'other' } }],
    ['is gone', undefined],
  ])('nothing is sent for an object that %s', async (_, live) => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
    await expect(fenceAfterLook(seen, { leadership, shard, ...looked(live) })).rejects.toMatchObject({ kind: 'conflict' });
  });

  test('a process that has all objects makes no look', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
    const { looks, kubernetes } = looked(undefined);
    expect((await fenceAfterLook(seen, { leadership, kubernetes }))()).toBe(true);
    expect(looks).toEqual([]);
  });
});
