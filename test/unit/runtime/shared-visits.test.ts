import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type KubernetesObject, resourceKey } from '../../../src/runtime/kubernetes-object.ts';
import { objectCache } from '../../../src/runtime/object-cache.ts';
import { shardOf, sharedVisits } from '../../../src/runtime/shard.ts';

/** Objects that several processes share by a label. (docs/safety.md, Several processes act) */

const settings = { name: 'a', label: 'shard', drainLabel: 'drain', lookMs: 10_000, waitMs: 15_000 };
const key = resourceKey('shop', 'orders');
const signal = new AbortController().signal;

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** The visits of shard `a`. An object is untouched as long as it has the label `new`. */
function shardA() {
  const cache = objectCache<KubernetesObject>([undefined]);
  const said: string[] = [];
  const state = { caughtUpAt: -Infinity, version: 0, hasRemains: false };
  const shard = shardOf(settings, state, () => {
    said.push('caught up');
    state.caughtUpAt = performance.now();
    return Promise.resolve();
  });
  const object = (labels: Readonly<Record<string, string>>): KubernetesObject => ({
    metadata: {
      name: 'orders',
      namespace: 'shop',
      uid: 'u',
      resourceVersion: String(++state.version),
      labels,
    },
  });
  let reply: Readonly<Record<string, string>> | undefined = {};
  const visits = sharedVisits(
    {
      cache,
      hasRemains: () => state.hasRemains,
      isUntouched: () => cache.get(key)?.metadata.labels?.['new'] !== undefined,
      letGo(_key, labels) {
        said.push(`without ${labels.join(' and ')}`);
        if (reply) cache.wrote(object(reply));
        return Promise.resolve();
      },
      begin: () => void said.push('begun anew'),
      forget: () => void said.push('forgotten'),
    },
    shard,
    () => {
      said.push('visited');
      return Promise.resolve('forget');
    },
  );
  return {
    cache,
    concerned: () => visits.concerns(key),
    isAnothers: (labels: Readonly<Record<string, string>>) => shard.isAnothers(object(labels)),
    see: (labels: Readonly<Record<string, string>>) => cache.apply(object(labels)),
    list: (labels: Readonly<Record<string, string>>) =>
      void cache.replace(undefined, [object(labels)], String(state.version)),
    gone: () => void cache.replace(undefined, [], String(state.version)),
    /** Whether a ledger entry of an object that is gone must still end. */
    remains: (hasRemains: boolean) => void (state.hasRemains = hasRemains),
    /** Another object of this process compares the caches. */
    compareNow: () => void (state.caughtUpAt = performance.now()),
    drainAnswers: (labels: Readonly<Record<string, string>> | undefined) => void (reply = labels),
    /** The actions of a reconcile, and of the reconciles that directly follow it. */
    async visit() {
      const from = said.length;
      let next = await visits.reconcile(key, signal);
      while (next !== 'forget' && next.afterMs === 0) next = await visits.reconcile(key, signal);
      return [...said.slice(from), ...(next === 'forget' ? [] : [`in ${next.afterMs} ms`])];
    },
  };
}

const ours = { shard: 'a' };

describe('an object belongs to a process exactly if the object has its label:', () => {
  test.each<[string, Record<string, string>, isOurs: boolean, isAnothers: boolean]>([
    ['the label names the process itself', { shard: 'a', new: '' }, true, false],
    ['the label names a second process', { shard: 'b', new: '' }, false, true],
    ['no label', { new: '' }, false, false],
    ['an empty label', { shard: '', new: '' }, false, false],
    ['a drain label without an owner', { drain: '', new: '' }, false, false],
  ])('%s', async (_, labels, isOurs, isAnothers) => {
    const shard = shardA();
    expect(shard.isAnothers(labels)).toBe(isAnothers);
    shard.see(labels);
    expect(shard.concerned()).toBe(isOurs);
    expect(await shard.visit()).toEqual([isOurs ? 'visited' : 'forgotten']);
  });

  test('an object that is gone is forgotten', async () => {
    expect(await shardA().visit()).toEqual(['forgotten']);
  });

  test('an object whose label changes to a second process is forgotten, even without a requested release', async () => {
    const shard = shardA();
    shard.see({ ...ours, new: '' });
    await shard.visit();
    shard.see({ shard: 'b' });
    expect(shard.concerned()).toBe(true);
    expect(await shard.visit()).toEqual(['forgotten']);
    expect(shard.concerned()).toBe(false);
  });
});

describe('an object that is gone, and whose ledger entry a dead process left behind,', () => {
  test('is visited once all late requests of the dead process have arrived and live lists show that it is gone', async () => {
    const shard = shardA();
    shard.remains(true);
    expect(shard.concerned()).toBe(true);
    expect(await shard.visit()).toEqual(['forgotten', 'in 15000 ms']);
    vi.advanceTimersByTime(15_000);
    expect(await shard.visit()).toEqual(['forgotten', 'caught up', 'forgotten', 'visited']);
  });

  test('is forgotten without a comparison of the caches when its process ends the entry meanwhile', async () => {
    const shard = shardA();
    shard.remains(true);
    expect(await shard.visit()).toEqual(['forgotten', 'in 15000 ms']);
    vi.advanceTimersByTime(15_000);
    shard.remains(false);
    expect(await shard.visit()).toEqual(['forgotten']);
    expect(shard.concerned()).toBe(false);
  });

  test('is waited for anew after a later object of the name', async () => {
    const shard = shardA();
    shard.remains(true);
    expect(await shard.visit()).toEqual(['forgotten', 'in 15000 ms']);
    vi.advanceTimersByTime(10_000);
    shard.see(ours);
    await shard.visit();
    shard.gone();
    vi.advanceTimersByTime(10_000);
    expect(await shard.visit()).toEqual(['forgotten', 'in 15000 ms']);
  });

  test('is not visited when an object of the name belongs to a second process', async () => {
    const shard = shardA();
    shard.remains(true);
    expect(await shard.visit()).toEqual(['forgotten', 'in 15000 ms']);
    shard.see({ shard: 'b' });
    expect(shard.concerned()).toBe(false);
    vi.advanceTimersByTime(15_000);
    expect(await shard.visit()).toEqual(['forgotten']);
  });
});

describe('an object that may have belonged to a second process', () => {
  test('is visited once all late requests of the second process have arrived and the caches have its writes', async () => {
    const shard = shardA();
    shard.see({ shard: 'b' });
    shard.see(ours);
    expect(await shard.visit()).toEqual(['in 15000 ms']);
    vi.advanceTimersByTime(14_999);
    expect(await shard.visit()).toEqual(['in 1 ms']);
    vi.advanceTimersByTime(1);
    expect(await shard.visit()).toEqual(['caught up', 'begun anew', 'visited']);
    shard.see({ ...ours, note: 'x' });
    expect(await shard.visit()).toEqual(['visited']);
  });

  test('needs a cache comparison that began after the wait, because the second process may write until then', async () => {
    const shard = shardA();
    shard.see({ shard: 'b' });
    shard.see(ours);
    vi.advanceTimersByTime(14_999);
    shard.compareNow();
    vi.advanceTimersByTime(1);
    expect(await shard.visit()).toEqual(['caught up', 'begun anew', 'visited']);
  });

  test('shares the cache comparison with objects that came within the same second', async () => {
    const shard = shardA();
    shard.see({ shard: 'b' });
    vi.advanceTimersByTime(300);
    shard.see(ours);
    expect(await shard.visit()).toEqual(['in 15700 ms']);
    vi.advanceTimersByTime(15_700);
    shard.compareNow();
    expect(await shard.visit()).toEqual(['begun anew', 'visited']);
  });

  test('waits from the time when the label came back, also if the first process had visited the object before', async () => {
    const shard = shardA();
    shard.see({ ...ours, new: '' });
    expect(await shard.visit()).toEqual(['visited']);
    shard.see({ shard: 'b' });
    vi.advanceTimersByTime(60_000);
    shard.see(ours);
    expect(await shard.visit()).toEqual(['in 15000 ms']);
    vi.advanceTimersByTime(15_000);
    expect(await shard.visit()).toEqual(['caught up', 'begun anew', 'visited']);
  });

  test('is each object that the first LIST of a process shows', async () => {
    const shard = shardA();
    shard.list(ours);
    expect(await shard.visit()).toEqual(['in 15000 ms']);
  });

  test('is each object that changed while the watch was broken', async () => {
    const shard = shardA();
    shard.list({ ...ours, new: '' });
    expect(await shard.visit()).toEqual(['visited']);
    shard.list({ ...ours, note: 'x' });
    expect(await shard.visit()).toEqual(['in 15000 ms']);
  });
});

test('an object for which nothing was ever begun is visited at once', async () => {
  const shard = shardA();
  shard.see({ shard: 'b', new: '' });
  shard.see({ ...ours, new: '' });
  expect(await shard.visit()).toEqual(['visited']);
  shard.see(ours);
  expect(await shard.visit()).toEqual(['visited']);
});

describe('an object with a drain label', () => {
  const drained = { ...ours, drain: 'true', new: '' };

  test('loses the shard label and the drain label, and is not visited', async () => {
    const shard = shardA();
    shard.see(drained);
    expect(await shard.visit()).toEqual(['without shard and drain', 'in 1000 ms']);
    expect(await shard.visit()).toEqual(['forgotten']);
    expect(shard.concerned()).toBe(false);
  });

  test('is released again if the object changed during its release', async () => {
    const shard = shardA();
    shard.see(drained);
    shard.drainAnswers(undefined);
    expect(await shard.visit()).toEqual(['without shard and drain', 'in 1000 ms']);
    expect(await shard.visit()).toEqual(['without shard and drain', 'in 1000 ms']);
  });

  test('is visited again if the object stays with its process', async () => {
    const shard = shardA();
    shard.see(drained);
    shard.drainAnswers({ ...ours, new: '' });
    expect(await shard.visit()).toEqual(['without shard and drain', 'in 1000 ms']);
    expect(await shard.visit()).toEqual(['visited']);
  });

  test('is not released by a process that does not own the object', async () => {
    const shard = shardA();
    shard.see({ shard: 'b', drain: 'true' });
    expect(await shard.visit()).toEqual(['forgotten']);
  });
});
