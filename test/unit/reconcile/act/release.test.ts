import { expect, test } from 'vitest';
import { release, sweepEntries } from '../../../../src/reconcile/act/release.ts';
import { objectAfter } from '../../../../src/reconcile/step/outcome.ts';
import type { Step } from '../../../../src/reconcile/step/step.ts';
import { cloudResourceFinalizer } from '../../../../src/resources/annotations.ts';
import { connectionAnnotations } from '../../../../src/resources/connection-secret.ts';
import { resourceKey } from '../../../../src/runtime/index.ts';
import { connectionSecret } from '../../../support/our-secret.ts';
import { chosenAttempt, serviceObject } from '../../../support/situation.ts';
import { encoded, owner, passwordWorld, storedEntry } from './password-world.ts';

const released = { id: 'svc-1', projectId: 'prj-1', fate: 'abandoned' } as const;
const step = {
  type: 'release',
  message: 'service svc-1 may still be in the cloud',
  released,
} as const;

test.each<[claim: string, Extract<Step, { type: 'release' }>['released']]>([
  ['lost its entry', released],
  ['is a copy', { id: undefined, projectId: undefined, fate: 'foreign' }],
])(
  'an object whose ledger entry the cache does not have is not dropped, although it seems that it %s',
  async (_claim, resource) => {
    const entry = storedEntry({}, { password: 'secret-password' });
    const world = passwordWorld({ secrets: [entry] });
    const cached = world.caches.ledger.entries.get(
      resourceKey('managed-db-ledger', 'managedservice-uid'),
    );
    if (cached) world.caches.ledger.entries.remove(cached);
    const own = { ...step, released: resource };
    await expect(release(own, owner, world.context)).rejects.toMatchObject({ kind: 'conflict' });
    expect([world.events, world.writes]).toEqual([[], []]);
  },
);

test('a release returns the object as the API server answered, so that its last status needs no second look', async () => {
  const finalizers = [cloudResourceFinalizer, 'example.com/hold'];
  const held = serviceObject({}, {}, { metadata: { finalizers } });
  const outcome = await release(step, held, passwordWorld({ objects: [held] }).context);
  expect(objectAfter(outcome)?.metadata.finalizers).toEqual(['example.com/hold']);
});

test('an object without a ledger entry is dropped, and an event tells the resource that it leaves', async () => {
  const world = passwordWorld({});
  await release(step, owner, world.context);
  expect([world.events, world.writes]).toEqual([
    ['service svc-1 may still be in the cloud'],
    ['patch shop/orders'],
  ]);
});

test('a retained ledger entry loses the mark of a deletion, and the event is a warning, since the DELETE may still be carried out', async () => {
  const world = passwordWorld({
    secrets: [
      storedEntry(
        { deletionStarted: { id: 'svc-1', generation: 0 } },
        { password: 'secret-password' },
      ),
    ],
  });
  await release({ ...step, released: { ...released, fate: 'retained' } }, owner, world.context);
  const { content, data } = world.seen('managed-db-ledger', 'managedservice-uid') ?? {};
  expect([content?.id, content?.deletionStarted, data]).toEqual([
    'svc-1',
    undefined,
    { password: 'secret-password' },
  ]);
  expect(world.writes).toEqual(['patch managed-db-ledger/managedservice-uid', 'patch shop/orders']);
  expect(world.eventTypes).toEqual(['Warning']);
});

test.each([
  [
    'that stays names it, its project and the annotation',
    'retained',
    '; annotate an object with managed-db.io/external-id=svc-1 to manage it again',
  ],
  ['of another object names it and its project', 'foreign', ''],
] as const)('the event of a service %s', async (_, fate, advice) => {
  const world = passwordWorld({ secrets: [storedEntry({}, { password: 'secret-password' })] });
  await release(
    { type: 'release', message: 'the service stays', released: { ...released, fate } },
    owner,
    world.context,
  );
  expect([world.events, world.eventTypes]).toEqual([
    [`the service stays: svc-1 in project prj-1${advice}`],
    ['Normal'],
  ]);
});

const inFlight = { next: { from: 'rotation r2' } };
const unset =
  'service svc-1 was released while a password was in flight: an adoption in the same namespace completes the rotation; elsewhere, set spec.password';
test.each([
  ['stays', 'retained', inFlight, [unset]],
  ['stays, without a password in flight', 'retained', {}, []],
  ['is of another object', 'foreign', inFlight, []],
  ['is gone', 'gone', inFlight, []],
] as const)(
  'an event tells of a password in flight to a service that %s, or not',
  async (_, fate, more, expected) => {
    const data = { password: 'secret-password', nextPassword: 'perhaps' };
    const world = passwordWorld({ secrets: [storedEntry(more, data)] });
    await release({ ...step, released: { ...released, fate } }, owner, world.context);
    expect(world.events.filter((message) => message.includes('in flight'))).toEqual(expected);
    expect(world.eventTypes.filter((type) => type === 'Warning')).toHaveLength(expected.length);
  },
);

test.each(['gone', 'retained'] as const)(
  'a create that made nothing is closed before its entry ends, so that no later process reports it (%s)',
  async (fate) => {
    const pending = { id: undefined, outcome: undefined, hasPassword: false, passwordNumber: 0 };
    const world = passwordWorld({
      secrets: [storedEntry({ ...pending, attempt: chosenAttempt }, {})],
    });
    const changed = serviceObject({}, {}, { metadata: { resourceVersion: '7' } });
    world.live.set('shop/orders', changed);
    const nothing = { id: undefined, projectId: 'prj-1', fate };
    await expect(
      release({ ...step, released: nothing }, owner, world.context),
    ).rejects.toMatchObject({
      kind: 'conflict',
    });
    expect(world.seen('managed-db-ledger', 'managedservice-uid')?.content?.attempt).toBe(undefined);
    await sweepEntries('ManagedService', resourceKey('shop', 'orders'), world.context);
    expect([world.seen('managed-db-ledger', 'managedservice-uid'), world.events]).toEqual([
      undefined,
      [],
    ]);
  },
);

test.each([
  ['is deleted', 'cluster', false],
  ['of another cluster stays', 'before', true],
])('an earlier entry about a resource that is gone %s', async (_, clusterUid, stays) => {
  const earlier = storedEntry(
    {
      object: { kind: 'ManagedService', namespace: 'shop', name: 'orders', uid: 'gone' },
      clusterUid,
    },
    {},
  );
  const world = passwordWorld({ secrets: [storedEntry({}, {}), earlier] });
  await release(
    { ...step, released: { id: 'svc-1', projectId: 'prj-1', fate: 'gone' } },
    owner,
    world.context,
  );
  const left = ['managedservice-uid', 'managedservice-gone'].map(
    (name) => world.seen('managed-db-ledger', name) !== undefined,
  );
  expect(left).toEqual([false, stays]);
});

const gone = { ...step, released: { id: 'svc-1', projectId: 'prj-1', fate: 'gone' } } as const;

test('the connection Secret of a resource that is gone is deleted first, then its entry, and the finalizers of object and entry go last', async () => {
  const secret = { ...connectionSecret(), data: encoded({ password: 'secret-password' }) };
  const held = serviceObject(
    {},
    {},
    { metadata: { finalizers: ['managed-db.io/cloud-resource', 'backup'] } },
  );
  const world = passwordWorld({
    secrets: [storedEntry({}, { password: 'secret-password' }), secret],
    objects: [held],
  });
  await release(gone, held, world.context);
  const entry = 'managed-db-ledger/managedservice-uid';
  expect(world.writes).toEqual([
    'delete shop/orders-db',
    `delete ${entry}`,
    'patch shop/orders',
    `patch ${entry}`,
  ]);
  expect(world.live.get('shop/orders')?.metadata.finalizers).toEqual(['backup']);
  expect([...world.all.keys()]).toEqual([]);
});

test('the entry of a resource in another cluster stays when the object is released', async () => {
  const world = passwordWorld({
    secrets: [storedEntry({ clusterUid: 'before' }, { password: 'secret-password' })],
  });
  await release(gone, owner, world.context);
  expect(world.writes).toEqual(['patch shop/orders']);
});

const shown = (uid: string) => ({
  binding: { name: 'orders-db' },
  connectionSecret: { uid, resourceVersion: '1' },
});
const { labels, annotations } = connectionSecret().metadata;

test.each<[string, object, string, readonly string[], readonly string[]]>([
  ['lost its label is deleted', { annotations }, 'before', ['delete shop/orders-db'], []],
  ['lost its annotations is deleted', { labels }, 'secret-uid', ['delete shop/orders-db'], []],
  ['lost its label and annotations is deleted', {}, 'secret-uid', ['delete shop/orders-db'], []],
  [
    'another program replaced, without annotations, stays, and an event names the command',
    {},
    'before',
    [],
    [
      'Secret "orders-db" stays, since it is not the Secret that the operator wrote: kubectl delete secret orders-db -n shop',
    ],
  ],
])(
  'a connection Secret that %s when the resource is gone',
  async (_, texts, uid, deleted, events) => {
    const { metadata, data } = connectionSecret(
      {},
      { labels: undefined, annotations: undefined, ...texts },
    );
    const object = serviceObject({}, {}, { status: shown(uid) });
    const world = passwordWorld({
      secrets: [storedEntry({}, {}), { metadata, data: encoded(data) }],
      objects: [object],
    });
    await release(gone, object, world.context);
    expect([world.writes.filter((write) => write.endsWith('/orders-db')), world.events]).toEqual([
      deleted,
      events,
    ]);
  },
);

test('a connection Secret that another living service has taken stays when the resource of the earlier owner is gone', async () => {
  const object = serviceObject(
    {},
    {},
    { metadata: { name: 'earlier', uid: 'earlier' }, status: shown('secret-uid') },
  );
  const secret = connectionSecret();
  const world = passwordWorld({
    secrets: [{ ...secret, data: encoded(secret.data) }],
    objects: [object],
  });
  world.caches.of('ManagedService').wrote(owner);
  await release(gone, object, world.context);
  expect([world.seen('shop', 'orders-db') !== undefined, world.events]).toEqual([true, []]);
});

test('a foreign Secret with the name in the spec stays without an event', async () => {
  const { metadata, data } = connectionSecret({}, { labels: undefined, annotations: undefined });
  const world = passwordWorld({
    secrets: [storedEntry({}, {}), { metadata, data: encoded(data) }],
  });
  await release(gone, owner, world.context);
  expect([world.seen('shop', 'orders-db') !== undefined, world.events]).toEqual([true, []]);
});

test('the connection Secret that another service took over, and whose retained database it is now, stays, and the event names that service', async () => {
  const taken = connectionSecret(
    { resource: 'another' },
    {
      annotations: {
        ...annotations,
        [connectionAnnotations.owner]: 'ManagedService/gone',
        [connectionAnnotations.ownerUid]: 'gone',
        [connectionAnnotations.resource]: 'another',
      },
    },
  );
  const object = serviceObject({}, {}, { status: shown('secret-uid') });
  const world = passwordWorld({
    secrets: [storedEntry({}, {}), { ...taken, data: encoded(taken.data) }],
    objects: [object],
  });
  await release(gone, object, world.context);
  expect(world.writes).not.toContain('delete shop/orders-db');
  expect(world.events).toEqual(['Secret "orders-db" stays: it was made for ManagedService/gone']);
});
