import { expect, test } from 'vitest';
import { operatorCaches } from '../../../src/operator/caches.ts';
import { namespaceMetadata } from '../../../src/resources/namespace-metadata.ts';
import {
  objectCache,
  type FillableCache,
  type KubernetesObject,
  type ResourceType,
} from '../../../src/runtime/index.ts';

/** The caches of an operator, and the Namespaces that it watches. */
function cachesFor(...namespaces: readonly string[]) {
  const watched: { readonly onlyName: string | undefined; readonly scopes: unknown }[] = [];
  const filled: FillableCache<KubernetesObject>[] = [];
  const caches = operatorCaches(
    {
      cache<T extends KubernetesObject>(
        { kind, onlyName }: ResourceType<T>,
        _labels?: object,
        scopes?: readonly (string | undefined)[],
      ) {
        const cache = objectCache<T>([undefined]);
        if (kind === 'Namespace') {
          watched.push({ onlyName, scopes });
          filled.push(cache);
        }
        return cache;
      },
    },
    'managed-db-ledger',
    namespaces,
  );
  return { caches, watched, filled };
}

const namespace = (name: string) =>
  namespaceMetadata.parse({ metadata: { name, uid: name, resourceVersion: '5' } });

test('an operator for all namespaces watches all Namespaces in a single cache', () => {
  const { caches, watched, filled } = cachesFor();
  expect(watched).toEqual([{ onlyName: undefined, scopes: [undefined] }]);
  filled[0]?.apply(namespace('shop'));
  expect(caches.namespaceOf('shop')).toEqual(namespace('shop'));
  expect(caches.namespaceOf('office')).toBeUndefined();
});

test('an operator for some namespaces watches each of them by its name, so that it needs no right to others', () => {
  const { caches, watched, filled } = cachesFor('shop', 'office');
  expect(watched).toEqual([
    { onlyName: 'shop', scopes: [undefined] },
    { onlyName: 'office', scopes: [undefined] },
  ]);
  filled[1]?.apply(namespace('office'));
  expect(caches.namespaceOf('office')).toEqual(namespace('office'));
  expect(caches.namespaceOf('shop')).toBeUndefined();
});
