import { expect, test } from 'vitest';
import { memoryLimitIn, nodeFlags } from '../../bench/operator.ts';
import { objectOf, recordingOf, writeFor } from '../../bench/recording.ts';

const recorded = { namespace: 'b-aaaa', name: 'orders-00000', uid: 'uid-of-recorded' };
const path = '/apis/managed-db.io/v1alpha1/namespaces/b-aaaa/managedservices/orders-00000';
const passing = (method: string, at: string, body: object, atMs: number) => ({
  method,
  path: at,
  contentType: 'application/merge-patch+json',
  body: JSON.stringify(body),
  atMs,
});
const recording = recordingOf(
  [
    passing('GET', path, {}, 40),
    passing(
      'PATCH',
      path,
      {
        metadata: { uid: recorded.uid, resourceVersion: '17', annotations: { of: recorded.name } },
      },
      100,
    ),
    passing('PUT', '/apis/coordination.k8s.io/v1/namespaces/b-aaaa/leases/operator', {}, 200),
    passing(
      'POST',
      '/api/v1/namespaces/b-aaaa/events',
      { metadata: { name: 'orders-00000.1' } },
      300,
    ),
    passing('PATCH', `${path}/status?fieldManager=x`, { status: { state: 'READY' } }, 1_150),
  ],
  recorded,
  1_000,
);
const subject = { namespace: 'b-bbbb', name: 'orders-00007', uid: 'uid-of-another' };

test('a recording has the writes for the service, in their order', () => {
  expect(
    recording.writes.map(({ method, isEvent, isAfterCloud }) => ({
      method,
      isEvent,
      isAfterCloud,
    })),
  ).toEqual([
    { method: 'PATCH', isEvent: false, isAfterCloud: false },
    { method: 'POST', isEvent: true, isAfterCloud: false },
    { method: 'PATCH', isEvent: false, isAfterCloud: true },
  ]);
});

test('a replayed write names the uid and the current version of its new object', () => {
  const [record, , status] = recording.writes;
  if (!record || !status) throw new Error('nothing was recorded');
  const there = '/apis/managed-db.io/v1alpha1/namespaces/b-bbbb/managedservices/orders-00007';
  const made = writeFor(record, recording, subject, { uid: subject.uid, resourceVersion: '99' });
  expect(made.path).toBe(there);
  expect(JSON.parse(made.body)).toEqual({
    metadata: { uid: subject.uid, resourceVersion: '99', annotations: { of: subject.name } },
  });
  expect(
    writeFor(status, recording, subject, { uid: subject.uid, resourceVersion: '99' }),
  ).toMatchObject({
    path: `${there}/status?fieldManager=x`,
    body: JSON.stringify({ status: { state: 'READY' } }),
  });
});

test("a write that is locked to a ledger entry names the other object's entry", () => {
  const entry = '/api/v1/namespaces/managed-db-ledger/secrets/managedservice-uid-of-recorded';
  const locked = recordingOf(
    [
      passing(
        'PATCH',
        entry,
        { metadata: { uid: 'uid-of-its-entry', resourceVersion: '18' } },
        100,
      ),
    ],
    recorded,
    1_000,
  );
  const [write] = locked.writes;
  if (!write) throw new Error('nothing was recorded');
  const made = writeFor(write, locked, subject, {
    uid: 'uid-of-the-other-entry',
    resourceVersion: '100',
  });
  expect(made.path).toBe(
    '/api/v1/namespaces/managed-db-ledger/secrets/managedservice-uid-of-another',
  );
  expect(JSON.parse(made.body)).toEqual({
    metadata: { uid: 'uid-of-the-other-entry', resourceVersion: '100' },
  });
});

test('the status of an object is a part of it', () => {
  expect(objectOf(`${path}/status?fieldManager=x`)).toBe(path);
  expect(objectOf(path)).toBe(path);
});

test('V8 gets the share of a container of which the image only knows a percentage', () => {
  expect(nodeFlags(['node', '--max-old-space-size-percentage=60', 'dist/main.js'], 256)).toEqual([
    'node',
    '--max-old-space-size=153',
    'dist/main.js',
  ]);
});

test('the limit of the container is that of the operator, not of the simulator beside it', () => {
  const values =
    'simulator:\n  resources:\n    limits:\n      memory: 128Mi\nresources:\n  limits:\n    memory: 256Mi\n';
  expect(memoryLimitIn(values)).toBe(256);
});
