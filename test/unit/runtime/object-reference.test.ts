import { expect, test } from 'vitest';
import {
  objectReference,
  partsOfReference,
  referenceOf,
  resourceKey,
} from '../../../src/runtime/kubernetes-object.ts';

test.each([
  ['shop', 'ManagedService/shop/orders'],
  [undefined, 'ManagedService/orders'],
])('an object of the namespace %s is %s, and is found again from that', (namespace, text) => {
  const key = resourceKey(namespace, 'orders');
  const reference = objectReference('ManagedService', key);
  expect(reference).toBe(text);
  expect(referenceOf({ kind: 'ManagedService', metadata: { name: 'orders', namespace } })).toBe(
    reference,
  );
  expect(partsOfReference(reference)).toEqual({ kind: 'ManagedService', key });
});
