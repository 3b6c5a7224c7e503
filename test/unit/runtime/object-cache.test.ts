import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  keyOf,
  resourceKey,
  type KubernetesObject,
} from '../../../src/runtime/kubernetes-object.ts';
import { objectCache, type FillableCache } from '../../../src/runtime/object-cache.ts';

const key = resourceKey('shop', 'orders');

function orders(
  version: number,
  { uid = 'uid-1', namespace = 'shop', name = 'orders' } = {},
): KubernetesObject {
  return { metadata: { name, namespace, uid, resourceVersion: String(version) } };
}

function watched(...scopes: (string | undefined)[]) {
  const cache = objectCache<KubernetesObject>(scopes.length > 0 ? scopes : ['shop']);
  const changes: string[] = [];
  cache.onChange(({ type, object, own, initial }) => {
    changes.push(
      `${type} ${object.metadata.name}@${object.metadata.resourceVersion}${own ? ' own' : ''}${initial ? ' initial' : ''}`,
    );
  });
  return { cache, changes };
}

const versionIn = (cache: FillableCache<KubernetesObject>) =>
  cache.get(key)?.metadata.resourceVersion;

test('the cache shows an object that we wrote at once, and no older version after it', () => {
  const { cache, changes } = watched();
  cache.apply(orders(3));
  cache.wrote(orders(5));
  cache.apply(orders(4));
  cache.apply(orders(5));
  cache.replace('shop', [orders(4)], '4');
  expect(versionIn(cache)).toBe('5');
  expect(changes).toEqual(['added orders@3', 'updated orders@5 own']);
});

test('the cache removes an object that we wrote and the watch does not select, and no older version brings it back', () => {
  const cache = objectCache<KubernetesObject & { readonly isOurs?: boolean }>(
    ['shop'],
    ({ isOurs }) => isOurs === true,
  );
  const ours = (version: number) => ({ ...orders(version), isOurs: true });
  cache.apply(ours(3));
  cache.wrote(orders(5));
  cache.apply(ours(4));
  expect(cache.get(key)).toBeUndefined();
  cache.apply(ours(6));
  expect(versionIn(cache)).toBe('6');
});

test('versions are numbers, not texts', () => {
  const { cache } = watched();
  cache.apply(orders(9));
  cache.apply(orders(10));
  expect(versionIn(cache)).toBe('10');
});

test('a list takes out what is not in it, unless that is newer than the list', () => {
  const { cache, changes } = watched();
  cache.apply(orders(3));
  cache.wrote(orders(8, { name: 'carts', uid: 'uid-2' }));
  cache.replace('shop', [], '7');
  expect([...cache.values()].map(({ metadata }) => metadata.name)).toEqual(['carts']);
  expect(changes).toEqual(['added orders@3', 'added carts@8 own', 'deleted orders@3']);
});

test('a LIST of a namespace changes no object of other namespaces', () => {
  const { cache } = watched('shop', 'bank');
  cache.replace('bank', [orders(3, { namespace: 'bank' })], '5');
  cache.replace('shop', [], '9');
  expect(cache.get(resourceKey('bank', 'orders'))).toBeDefined();
});

test('a write whose reply comes after the deletion does not bring the object back', () => {
  const { cache } = watched();
  cache.apply(orders(3));
  cache.remove(orders(5));
  cache.wrote(orders(4));
  expect(versionIn(cache)).toBeUndefined();
});

test('a write whose reply comes after a list without the object does not bring it back, whether it was known before', () => {
  const { cache } = watched();
  cache.apply(orders(3));
  cache.replace('shop', [], '7');
  cache.wrote(orders(5));
  cache.wrote(orders(6, { name: 'carts' }));
  expect([...cache.values()]).toEqual([]);
  cache.wrote(orders(8, { uid: 'uid-2' }));
  expect(versionIn(cache)).toBe('8');
});

test('a removal is remembered even for an object that the cache did not have', () => {
  const { cache, changes } = watched();
  cache.remove(orders(5));
  cache.apply(orders(4));
  expect(changes).toEqual([]);
});

test('a removal that is older than what is known changes nothing', () => {
  const { cache } = watched();
  cache.apply(orders(6, { uid: 'uid-2' }));
  cache.remove(orders(5));
  expect(versionIn(cache)).toBe('6');
});

test('a recreated object with the same name counts as a deletion and an addition', () => {
  const { cache, changes } = watched();
  cache.apply(orders(3));
  cache.apply(orders(6, { uid: 'uid-2' }));
  expect(changes).toEqual(['added orders@3', 'deleted orders@3', 'added orders@6']);
});

test('the cache shows an object that was recreated after its deletion', () => {
  const { cache } = watched();
  cache.apply(orders(3));
  cache.remove(orders(5));
  cache.apply(orders(6, { uid: 'uid-2' }));
  expect(versionIn(cache)).toBe('6');
});

test('the cache is synced when every namespace was listed; only the first list is initial', async () => {
  const { cache, changes } = watched('shop', 'bank');
  const synced = cache.whenSynced();
  cache.replace('shop', [orders(3)], '5');
  expect(cache.synced).toBe(false);
  cache.replace('bank', [], '5');
  await synced;
  expect(cache.synced).toBe(true);
  cache.replace('shop', [orders(3), orders(7, { name: 'carts' })], '8');
  expect(changes).toEqual(['added orders@3 initial', 'added carts@7']);
});

test('after a restore the list of the server is the truth, whatever was seen before', () => {
  const { cache, changes } = watched();
  cache.replace(
    'shop',
    [orders(30), orders(10, { name: 'same' }), orders(32, { name: 'anew', uid: 'uid-2' })],
    '40',
  );
  cache.remove(orders(50, { name: 'back' }));
  cache.wrote(orders(60, { name: 'made', uid: 'uid-3' }));
  changes.length = 0;
  const restored = [
    orders(20),
    orders(10, { name: 'same' }),
    orders(5, { name: 'anew' }),
    orders(15, { name: 'back' }),
  ];
  cache.rewind('shop', restored, '25');
  expect(changes).toEqual([
    'deleted made@60',
    'updated orders@20',
    'deleted anew@32',
    'added anew@5',
    'added back@15',
  ]);
  cache.apply(orders(26));
  cache.apply(orders(27, { name: 'made', uid: 'uid-4' }));
  cache.remove(orders(28, { name: 'back' }));
  expect(
    [...cache.values()]
      .map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`)
      .toSorted(),
  ).toEqual(['anew@5', 'made@27', 'orders@26', 'same@10']);
});

const all = (cache: FillableCache<KubernetesObject>) =>
  [...cache.values()]
    .map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion} ${metadata.uid}`)
    .toSorted();

test.each<[what: string, seen: (cache: FillableCache<KubernetesObject>) => void, isOther: boolean]>(
  [
    ['an older version than the cache', (cache) => cache.apply(orders(30)), true],
    [
      'the version of a recreated object',
      (cache) => cache.apply(orders(20, { uid: 'uid-0' })),
      false,
    ],
    ['an object whose deletion was seen', (cache) => cache.remove(orders(30)), true],
    ['an object that an earlier list lacked', () => undefined, false],
    [
      'all but one object, which is none that is there',
      (cache) => cache.apply(orders(35, { name: 'ghost' })),
      false,
    ],
    ['a newer version than the cache', (cache) => cache.apply(orders(10)), false],
    ['the version of the cache', (cache) => cache.apply(orders(20)), false],
  ],
)(
  'up to its version a list is the truth, also from a server that was restored with its versions raised: it shows %s',
  (_, seen, isOther) => {
    const { cache } = watched();
    cache.replace('shop', [], '25');
    seen(cache);
    expect(cache.replace('shop', [orders(20)], '1000000040')).toBe(isOther);
    expect(all(cache)).toEqual(['orders@20 uid-1']);
  },
);

test.each<
  [
    what: string,
    tell: (cache: FillableCache<KubernetesObject>) => void,
    newest: [bigint, string | undefined],
  ]
>([
  ['nothing', () => undefined, [0n, undefined]],
  [
    'a list: what it lacks may have been deleted after its newest object',
    (cache) => cache.replace('shop', [orders(5)], '9'),
    [9n, undefined],
  ],
  ['a change', (cache) => cache.apply(orders(5)), [5n, 'orders']],
  [
    'a change of one object before that of another',
    (cache) => [cache.apply(orders(7)), cache.apply(orders(5, { name: 'carts' }))],
    [7n, 'orders'],
  ],
  [
    'a change after a list',
    (cache) => [cache.replace('shop', [orders(5)], '9'), cache.apply(orders(11))],
    [11n, 'orders'],
  ],
  [
    'an own write after a list',
    (cache) => [cache.replace('shop', [orders(5)], '9'), cache.wrote(orders(11))],
    [11n, 'orders'],
  ],
  [
    'a deletion after a change',
    (cache) => [cache.apply(orders(5)), cache.remove(orders(8, { name: 'carts' }))],
    [8n, undefined],
  ],
  [
    'a change after a deletion',
    (cache) => [cache.remove(orders(8, { name: 'carts' })), cache.apply(orders(10))],
    [10n, 'orders'],
  ],
  [
    'a bookmark after a change',
    (cache) => [cache.apply(orders(5)), cache.reached('shop', '9')],
    [5n, 'orders'],
  ],
  [
    'a change elsewhere',
    (cache) => [cache.apply(orders(5)), cache.apply(orders(8, { namespace: 'bank' }))],
    [5n, 'orders'],
  ],
  [
    'a deletion elsewhere',
    (cache) => [cache.apply(orders(5)), cache.remove(orders(8, { namespace: 'bank' }))],
    [5n, 'orders'],
  ],
])('the cache reports its newest version and object after %s', (_, tell, [version, object]) => {
  const { cache } = watched('shop', 'bank');
  tell(cache);
  const newest = cache.newest('shop');
  expect([newest.version, newest.object?.metadata.name]).toEqual([version, object]);
});

test('a cache whose watch broke covers nothing until its history is known again', () => {
  const { cache } = watched('shop', 'bank');
  cache.apply(orders(5));
  cache.reached('shop', '9');
  cache.doubted('shop');
  expect([cache.covers('shop', [orders(5)], '9'), cache.covers('bank', [], '9')]).toEqual([
    false,
    true,
  ]);
  cache.reached('shop', '5');
  expect(cache.covers('shop', [orders(5)], '9')).toBe(true);
});

test('a restore that a LIST of one namespace shows changes no object of other namespaces before their own LISTs', () => {
  const { cache } = watched('shop', 'bank');
  cache.replace('shop', [orders(30)], '40');
  cache.replace('bank', [orders(30, { namespace: 'bank' })], '40');
  cache.rewind('shop', [orders(20)], '25');
  expect(
    [...cache.values()].map(({ metadata }) => `${metadata.namespace}@${metadata.resourceVersion}`),
  ).toEqual(['shop@20', 'bank@30']);
});

test('waiting for the sync ends with the reason of its abort', async () => {
  const { cache } = watched();
  const reason = new Error('stopping');
  await expect(cache.whenSynced(AbortSignal.abort(reason))).rejects.toBe(reason);
});

test('the previous state comes with an update', () => {
  const { cache } = watched();
  const before = orders(3);
  cache.apply(before);
  const seen: unknown[] = [];
  cache.onChange(({ previous }) => seen.push(previous));
  cache.apply(orders(4));
  expect(seen).toEqual([before]);
});

/**
 * An event in a cluster, and how the cache learns of it: by the watch, by a new list, by replies to our own
 * writes, early or late.
 */
type Move =
  | { readonly type: 'write' | 'delete' | 'ownWrite' | 'ownDelete'; readonly name: string }
  | { readonly type: 'watch' | 'relist' }
  | { readonly type: 'reply'; readonly which: number };

const name = fc.constantFrom('a', 'b');
const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constantFrom(
        'write' as const,
        'delete' as const,
        'ownWrite' as const,
        'ownDelete' as const,
      ),
      name,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constantFrom('watch' as const, 'watch' as const, 'relist' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('reply' as const), which: fc.nat({ max: 5 }) }),
  },
);

interface Entry {
  readonly type: 'applied' | 'deleted';
  readonly object: KubernetesObject;
}

const byKey = (objects: Iterable<KubernetesObject>) =>
  Object.fromEntries([...objects].map((object) => [keyOf(object), object]));

test('in whatever order word comes, a key never goes back in time, and in the end the cache holds what the cluster holds', () => {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 40, size: 'max' }), (moves) => {
      const { cache } = watched();
      const cluster = new Map<string, KubernetesObject>();
      const history: Entry[] = [];
      const replies: Entry[] = [];
      const newest = new Map<string, number>();
      let version = 0;
      let delivered = 0;
      const happen = (type: Entry['type'], who: string): Entry => {
        version += 1;
        const uid = cluster.get(who)?.metadata.uid ?? `uid-${version}`;
        const entry: Entry = { type, object: orders(version, { name: who, uid }) };
        if (type === 'applied') cluster.set(who, entry.object);
        else cluster.delete(who);
        history.push(entry);
        return entry;
      };
      const hear = ({ type, object }: Entry, own: boolean) => {
        if (type === 'deleted') cache.remove(object);
        else if (own) cache.wrote(object);
        else cache.apply(object);
      };
      const reply = (which: number) => {
        for (const entry of replies.splice(which % Math.max(replies.length, 1), 1))
          hear(entry, true);
      };
      const watchOn = () => {
        const entry = history[delivered];
        if (entry) {
          delivered += 1;
          hear(entry, false);
        }
      };
      cache.replace('shop', [], '0');
      cache.onChange(({ type, object }) => {
        if (type === 'deleted') return;
        expect(Number(object.metadata.resourceVersion)).toBeGreaterThan(
          newest.get(object.metadata.name) ?? 0,
        );
        newest.set(object.metadata.name, Number(object.metadata.resourceVersion));
      });
      for (const step of moves) {
        switch (step.type) {
          case 'write':
            happen('applied', step.name);
            break;
          case 'ownWrite':
            replies.push(happen('applied', step.name));
            break;
          case 'delete':
            if (cluster.has(step.name)) happen('deleted', step.name);
            break;
          case 'ownDelete':
            if (cluster.has(step.name)) replies.push(happen('deleted', step.name));
            break;
          case 'watch':
            watchOn();
            break;
          case 'relist':
            delivered = history.length;
            cache.replace('shop', [...cluster.values()], String(version));
            break;
          case 'reply':
            reply(step.which);
        }
      }
      while (replies.length > 0) reply(replies.length - 1);
      while (delivered < history.length) watchOn();
      expect(byKey(cache.values())).toEqual(byKey(cluster.values()));
    }),
    { numRuns: 2_000 },
  );
});

test.each<[what: string, listed: readonly KubernetesObject[], asOf: string, covered: boolean]>([
  ['holds what was listed', [orders(5)], '9', true],
  ['is newer than what was listed', [orders(4)], '9', true],
  ['has not heard of a change', [orders(6)], '9', false],
  ['has not heard of an object', [orders(5), orders(7, { name: 'carts' })], '9', false],
  ['has not heard of a deletion', [], '9', false],
  ['holds what was made after the list', [], '4', true],
  ['has seen go what was listed', [orders(5), orders(2, { name: 'gone' })], '9', true],
  [
    'has reached the place of the list, whatever could not be read',
    [orders(5), orders(7, { name: 'carts' })],
    '8',
    true,
  ],
])('a cache covers a live list where it %s: %s', (_, listed, asOf, covered) => {
  const { cache } = watched();
  cache.apply(orders(5));
  cache.apply(orders(2, { name: 'gone' }));
  cache.remove(orders(3, { name: 'gone' }));
  cache.reached('shop', '8');
  expect(cache.covers('shop', listed, asOf)).toBe(covered);
});
