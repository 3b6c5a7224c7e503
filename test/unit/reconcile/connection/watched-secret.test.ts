import { expect, test } from 'vitest';
import { askedText } from '../../../../src/resources/asked-texts.ts';
import { connectionSecrets } from '../../../../src/resources/watched-secret.ts';

const place = { name: 'orders-db', namespace: 'shop', uid: 'u1', resourceVersion: '1' };

test('the cache keeps the metadata that the operator put on a Secret, and the labels and annotations of the spec', () => {
  const labels = { 'managed-db.io/connection': 'true', team: 'shop' };
  const annotations = {
    'managed-db.io/owner': 'ManagedService/orders',
    'managed-db.io/asked': askedText({ labels: { team: 'shop' }, annotations: { note: 'ours' } }),
    note: 'ours',
  };
  const finalizers = ['managed-db.io/connection', 'example.com/backup'];
  expect(connectionSecrets.parse({ metadata: { ...place, labels, annotations, finalizers } })).toEqual({
    metadata: { ...place, labels, annotations, finalizers },
  });
});

test('the cache drops the labels, the annotations and the data of other clients', () => {
  const ours = { labels: { 'managed-db.io/connection': 'true' }, annotations: { 'managed-db.io/owner': 'ManagedService/orders' } };
  const large = 'x'.repeat(100_000);
  const metadata = { labels: { ...ours.labels, team: 'shop' }, annotations: { ...ours.annotations, note: large } };
  expect(connectionSecrets.parse({ metadata: { ...place, ...metadata }, data: { dump: large } })).toEqual({
    metadata: { ...place, ...ours },
  });
});
