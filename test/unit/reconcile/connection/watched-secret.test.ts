import { expect, test } from 'vitest';
import { connectionSecrets } from '../../../../src/resources/watched-secret.ts';

const place = { name: 'orders-db', namespace: 'shop', uid: 'u1', resourceVersion: '1' };

test("the cache keeps the operator's labels and annotations of a Secret, and its finalizers", () => {
  const labels = { 'managed-db.io/connection': 'true' };
  const annotations = { 'managed-db.io/owner': 'ManagedService/orders' };
  const finalizers = ['managed-db.io/connection', 'example.com/backup'];
  expect(
    connectionSecrets.parse({ metadata: { ...place, labels, annotations, finalizers } }),
  ).toEqual({
    metadata: { ...place, labels, annotations, finalizers },
  });
});

test('the cache drops the labels, the annotations and the data of other clients', () => {
  const ours = {
    labels: { 'managed-db.io/connection': 'true' },
    annotations: { 'managed-db.io/owner': 'ManagedService/orders' },
  };
  const large = 'x'.repeat(100_000);
  const metadata = {
    labels: { ...ours.labels, team: 'shop' },
    annotations: { ...ours.annotations, note: large },
  };
  expect(
    connectionSecrets.parse({ metadata: { ...place, ...metadata }, data: { dump: large } }),
  ).toEqual({
    metadata: { ...place, ...ours },
  });
});
