import { afterEach, describe, expect, test, vi } from 'vitest';
import { fenceAfterLook, sendFence } from '../../../../src/reconcile/act/fence.ts';
import type { KubernetesClient } from '../../../../src/runtime/index.ts';
import { serviceObject } from '../../../support/situation.ts';

afterEach(() => void vi.useRealTimers());

test('a request may be sent for ten seconds by both clocks', () => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  const mayBeSent = sendFence({ held: true });
  vi.advanceTimersByTime(9_999);
  expect(mayBeSent()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(mayBeSent()).toBe(false);
});

test.each([-20_000, 20_000])(
  'a wall clock that was set by %d ms forbids the request, since the process may have slept',
  (byMs) => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
    const mayBeSent = sendFence({ held: true });
    vi.setSystemTime(Date.now() + byMs);
    expect(mayBeSent()).toBe(false);
  },
);

test('a wall clock that is set back does not extend the time of a request', () => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  const begun = Date.now();
  const mayBeSent = sendFence({ held: true });
  vi.advanceTimersByTime(11_000);
  vi.setSystemTime(begun);
  expect(mayBeSent()).toBe(false);
});

test('without the lease no request is sent, at any age', () => {
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

describe('for processes that share the objects,', () => {
  const shard = { lookMs: 3_000, isOurs: () => true, catchUp: () => Promise.resolve() };
  const leadership = { held: true };
  const seen = serviceObject();

  test('a request may be sent for as long as the live read of the object counts', async () => {
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
  ])('no request is sent for an object that %s', async (_, live) => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
    await expect(
      fenceAfterLook(seen, { leadership, shard, ...looked(live) }),
    ).rejects.toMatchObject({ kind: 'conflict' });
  });

  test('a process that owns all objects makes no live read', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] });
    const { looks, kubernetes } = looked(undefined);
    expect((await fenceAfterLook(seen, { leadership, kubernetes }))()).toBe(true);
    expect(looks).toEqual([]);
  });
});
