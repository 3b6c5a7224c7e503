import { expect, test } from 'vitest';
import { askedText } from '../../../../src/resources/asked-texts.ts';
import { connectionSecrets } from '../../../../src/resources/watched-secret.ts';

const place = { name: 'orders-db', namespace: 'shop', uid: 'u1', resourceVersion: '1' };
const texts = (count: number, length: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`example.com/x${n}`, 'x'.repeat(length)]));

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

test('the cache does not keep the metadata and data that other clients put on a Secret with our label, however large', () => {
  const asked = JSON.stringify({ labels: [], annotations: Object.keys(texts(1_000, 1)) });
  const metadata = {
    ...place,
    labels: { ...texts(5_000, 63), 'managed-db.io/connection': 'true' },
    annotations: { ...texts(1_000, 200), 'managed-db.io/asked': asked.slice(0, 200_000), 'managed-db.io/owner': 'x'.repeat(200_000) },
    finalizers: Object.keys(texts(1_000, 1)),
  };
  expect(JSON.stringify(connectionSecrets.parse({ metadata, data: { dump: 'x'.repeat(700_000) } })).length).toBeLessThan(20_000);
});
