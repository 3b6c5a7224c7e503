import { expect, test } from 'vitest';
import { cacheIndex, objectCache } from '../../../src/runtime/object-cache.ts';

const namespace = 'shop';
let version = 0;
const naming = (name: string, refs: readonly string[], uid = name) => ({
  metadata: { name, namespace, uid, resourceVersion: String(++version) },
  refs,
});

function indexed() {
  const [services, sets] = [
    objectCache<ReturnType<typeof naming>>([namespace]),
    objectCache<ReturnType<typeof naming>>([namespace]),
  ];
  services.apply(naming('early', ['vpc']));
  const index = cacheIndex([services, sets], ({ refs }) => refs);
  return {
    services,
    sets,
    found: (value: string) => index.of(value).map(({ metadata }) => metadata.name),
  };
}

test('an object is found by all that it says, in whichever cache it is, and since before the index was made', () => {
  const { services, sets, found } = indexed();
  services.apply(naming('orders', ['vpc', 'secret']));
  sets.apply(naming('orders', ['secret'], 'another-kind'));
  expect(found('vpc')).toEqual(['early', 'orders']);
  expect(found('secret')).toEqual(['orders', 'orders']);
  expect(found('nothing')).toEqual([]);
});

test('the index does not find an object by a former key, nor a deleted object by its keys', () => {
  const { services, found } = indexed();
  services.apply(naming('orders', ['old', 'both']));
  services.apply(naming('orders', ['both', 'new']));
  expect([found('old'), found('both'), found('new')]).toEqual([[], ['orders'], ['orders']]);
  services.apply(naming('orders', ['new'], 'made-anew'));
  expect([found('both'), found('new')]).toEqual([[], ['orders']]);
  services.remove(naming('orders', ['whatever it says now'], 'made-anew'));
  expect([found('new'), found('whatever it says now')]).toEqual([[], []]);
});

test('a list without an object takes it out of the index', () => {
  const { services, found } = indexed();
  services.replace(namespace, [], String(++version));
  expect(found('vpc')).toEqual([]);
});
