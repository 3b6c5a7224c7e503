import { expect, test } from 'vitest';
import { secretsWithData } from '../../../src/reconcile/connection/connection-secret.ts';
import { resourceKey } from '../../../src/runtime/kubernetes-object.ts';
import { force } from '../../../src/simulator/force.ts';
import { fence } from '../../crash/fence.ts';
import { replicaSet, service } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** Secrets that are not the operator's stay as they are, and the password in the operator's own is the one that the cloud has. (SAFETY, Changing) */

async function readyService(world: World, name = 'orders', spec: object = {}): Promise<string> {
  await world.apply(service(name, spec));
  await world.untilReady('service', name);
  return (await world.service(name))?.status?.id ?? '';
}

const passwordSets = (world: World) => world.project.commits.get('updateServicePassword') ?? 0;
const passwordOf = (world: World, id: string) => world.project.services.get(id)?.password;
const storedIn = async (world: World, name: string) => (await world.secret(name))?.['password'];
const metadataOf = async (world: World, name: string) =>
  (await world.kubernetes.get(secretsWithData, resourceKey(world.namespace, name)))?.metadata;

/** Somebody else's Secret takes the place of the connection Secret while nobody looks. */
async function takeThePlace(world: World): Promise<void> {
  await world.stopOperators();
  await world.kubectl(['patch', 'secret', 'orders-db', '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
  await world.kubectl(['delete', 'secret', 'orders-db', '--timeout=5s']);
  await world.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'orders-db' }, stringData: { theirs: 'x' } });
  await (
    await world.startOperator()
  ).started;
}

test('a Secret that has the name of a password on its way, and is another connection, is neither sent nor removed', async () => {
  await using world = await startWorld();
  const id = await readyService(world, 'orders', { connectionSecret: { name: 'db' } });
  const other = await readyService(world, 'other', { connectionSecret: { name: 'db-pending' } });
  const before = [passwordOf(world, id), passwordOf(world, other)];
  await world.apply(service('orders', { connectionSecret: { name: 'db' }, password: { rotation: 'now' } }));
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain('"db-pending"');
  expect([passwordOf(world, id), passwordOf(world, other)]).toEqual(before);
  expect(await storedIn(world, 'db-pending')).toBe(before[1]);
});

test('a password whose first send was not answered is kept, though the cloud refuses its second', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const refused = { kind: 'errorBefore', operation: 'updateServicePassword', status: 422, body: { message: 'same as before' } } as const;
  world.project.faults.add({ kind: 'replyLost', operation: 'updateServicePassword', times: 1 });
  world.project.faults.add({ ...refused, times: 1 });
  await world.apply(service('orders', { password: { rotation: 'one' } }));
  await world.untilReason('service', 'orders', 'Rejected');
  await world.kubectl(['patch', 'managedservice', 'orders', '--type=merge', '-p', '{"spec":{"password":null}}']);
  await world.untilReady('service', 'orders');
  expect(await storedIn(world, 'orders-db')).toBe(passwordOf(world, id));
});

test('what Kubernetes does not take as a Secret is told in its own words, and no password is set for it', async () => {
  await using world = await startWorld();
  await readyService(world);
  await world.kubectl(['patch', 'secret', 'orders-db', '--type=merge', '-p', '{"immutable":true}']);
  await world.apply(service('orders', { password: { rotation: 'x' } }));
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain('field is immutable');
  await world.sync('service', 'orders');
  expect(world.project.calls.get('updateServicePassword')).toBeUndefined();
});

test("a Secret of somebody else's in the place of the connection is told, left alone, and does not keep other changes back", async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await takeThePlace(world);
  await world.untilReason('service', 'orders', 'SecretConflict');
  await world.apply(service('orders', { environment: 'PROD' }));
  await until('the change', () => world.project.commits.get('setServiceEnvironment') === 1);
  expect(await world.secret('orders-db')).toEqual({ theirs: 'x' });
  expect(passwordSets(world)).toBe(0);

  await world.apply(service('orders', { environment: 'PROD', connectionSecret: { name: 'elsewhere' } }));
  await world.untilReady('service', 'orders');
  expect(await storedIn(world, 'elsewhere')).toBe(passwordOf(world, id));
  expect(await world.secret('orders-db')).toEqual({ theirs: 'x' });
});

test('two services that ask for one Secret: the one that comes second moves away', async () => {
  await using world = await startWorld();
  const shared = { connectionSecret: { name: 'shared-db' } };
  await Promise.all([world.apply(service('one', shared)), world.apply(service('two', shared))]);
  const reasonOf = async (name: string) => (await world.service(name))?.status?.conditions?.[0]?.reason;
  const loser = await until('a conflict', async () =>
    (await reasonOf('one')) === 'SecretConflict' ? 'one' : (await reasonOf('two')) === 'SecretConflict' && 'two',
  );
  await world.apply(service(loser, { connectionSecret: { name: 'own-db' } }));
  await world.untilReady('service', 'one');
  await world.untilReady('service', 'two');
  const id = (await world.service(loser))?.status?.id ?? '';
  expect(await storedIn(world, 'own-db')).toBe(passwordOf(world, id));
});

test('what is only observed needs no Secret, whatever there is under its name', async () => {
  await using world = await startWorld(sharedProject);
  await world.createInCloud('services', { name: 'legacy', cpu_millis: '1000', memory_gbs: '4' });
  const id = world.project.everCreated[0]?.id ?? '';
  await world.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'orders-db' }, stringData: { theirs: 'x' } });
  await world.apply({ ...service('orders', {}, { 'managed-db.io/external-id': id }), spec: { managementPolicy: 'Observe' } });
  await world.untilReason('service', 'orders', 'Observed');
  expect(recordOf(await world.service('orders')).secretName).toBeUndefined();

  // Managed from now on: it needs one, and the place is taken.
  await world.kubectl(['patch', 'managedservice', 'orders', '--type=merge', '-p', '{"spec":{"managementPolicy":"Manage"}}']);
  await world.untilReason('service', 'orders', 'SecretConflict');
  await world.kubectl(['patch', 'managedservice', 'orders', '--type=merge', '-p', '{"spec":{"connectionSecret":{"name":"own"}}}']);
  await world.untilReady('service', 'orders');
  expect(recordOf(await world.service('orders')).secretName).toBe('own');
  expect(await world.secret('own')).toMatchObject({ type: 'postgresql' });
});

test('a Secret that was deleted is made again with what it said of its create and its password', async () => {
  await using world = await startWorld();
  await readyService(world, 'orders', { password: { rotation: 'x' } });
  const before = await metadataOf(world, 'orders-db');
  await world.kubectl(['delete', 'secret', 'orders-db', '--timeout=20s']);
  const after = await until('another', async () => {
    const now = await metadataOf(world, 'orders-db');
    return now && now.uid !== before?.uid ? now : undefined;
  });
  const { attempt, handled } = { attempt: 'managed-db.io/attempt', handled: 'managed-db.io/password-handled' };
  expect([after.annotations?.[attempt], after.annotations?.[handled]]).toEqual([before?.annotations?.[attempt], 'rotation x']);
});

test('a crash while a deleted Secret is made again changes no password', async () => {
  await using world = await startWorld({ start: false });
  const first = fence({ call: 'POST secrets/orders-db #2', harm: 'beforeSent' });
  await (
    await world.startOperator({ intercept: first.intercept, isDead: () => first.isDead })
  ).started;
  const id = await readyService(world, 'orders', { password: { rotation: 'x' } });
  const before = passwordOf(world, id);
  await world.kubectl(['delete', '--wait=false', 'secret', 'orders-db']);
  await first.died;
  await (
    await world.startOperator()
  ).started;
  await until('the Secret', () => world.secret('orders-db'));
  await world.untilReady('service', 'orders');
  await world.sync('service', 'orders');
  expect([passwordOf(world, id), await storedIn(world, 'orders-db')]).toEqual([before, before]);
});

test('a Secret that lost its label is still known, gets it back, and goes with its service', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await world.kubectl(['label', 'secret', 'orders-db', 'managed-db.io/connection-']);
  await world.sync('service', 'orders');
  const label = ['get', 'secret', 'orders-db', '-o', 'jsonpath={.metadata.labels.managed-db\\.io/connection}'];
  await until('the label', async () => (await world.kubectl(label)).stdout === 'true');
  await world.untilReady('service', 'orders');
  expect([passwordSets(world), await storedIn(world, 'orders-db')]).toEqual([0, passwordOf(world, id)]);

  await world.stopOperators();
  await world.kubectl(['label', 'secret', 'orders-db', 'managed-db.io/connection-']);
  await world.kubectl(['delete', '--wait=false', 'managedservice', 'orders']);
  await (
    await world.startOperator()
  ).started;
  await world.untilGone('service', 'orders');
  expect(await world.secret('orders-db')).toBeUndefined();
});

test('a restored object takes the old Secret along when its connection moves', async () => {
  await using world = await startWorld();
  await readyService(world);
  const record = (await world.service('orders'))?.metadata.annotations?.['managed-db.io/record'] ?? '';
  await world.stopOperators();
  await world.kubectl(['patch', 'managedservice', 'orders', '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
  await world.kubectl(['delete', 'managedservice', 'orders', '--ignore-not-found', '--timeout=20s']);
  await world.apply(service('orders', {}, { 'managed-db.io/record': record }));
  await (
    await world.startOperator()
  ).started;
  await world.untilReady('service', 'orders');
  await world.kubectl(['patch', 'managedservice', 'orders', '--type=merge', '-p', '{"spec":{"connectionSecret":{"name":"elsewhere"}}}']);
  await until('the new one', () => world.secret('elsewhere'));
  await until('the old one to go', async () => (await world.secret('orders-db')) === undefined);
  expect(passwordSets(world)).toBe(0);
});

test('a password on its way arrives before its connection moves', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  world.project.faults.add({ kind: 'replyLost', operation: 'updateServicePassword', times: 1 });
  world.project.faults.add({ kind: 'errorBefore', operation: 'updateServicePassword', status: 503 });
  await world.apply(service('orders', { password: { rotation: 'one' } }));
  await until('a try', () => (world.project.calls.get('updateServicePassword') ?? 0) > 0);
  force(world.project, { kind: 'service', id, status: 'PAUSED' });
  await world.apply({ ...service('orders'), spec: { cpuMillis: 1000, memoryGbs: 4, connectionSecret: { name: 'elsewhere' } } });
  world.project.faults.clear();
  force(world.project, { kind: 'service', id, status: 'READY' });
  await until('the move', () => world.secret('elsewhere'));
  await until('the old ones to go', async () => !(await world.secret('orders-db')) && !(await world.secret('orders-db-pending')));
  await world.untilReady('service', 'orders');
  expect(await storedIn(world, 'elsewhere')).toBe(passwordOf(world, id));
});

test('a replica set keeps user, database and password when the object of its service goes, and nothing is written for it again and again', async () => {
  await using world = await startWorld({ start: false });
  const watched = fence();
  await (
    await world.startOperator({ intercept: watched.intercept })
  ).started;
  const kept = { deletionPolicy: 'Retain', connectionSecret: { username: 'app', database: 'shop' } };
  await world.apply(service('orders', kept), replicaSet('reads', 'orders'));
  await world.untilReady('replicaSet', 'reads');
  const before = await world.secret('reads-replicas-db');
  await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=20s']);
  await world.sync('replicaSet', 'reads');
  const calls = watched.calls.length;
  await world.sync('replicaSet', 'reads');
  expect(await world.secret('reads-replicas-db')).toEqual(before);
  // One write of status answers the request for a sync.
  expect(watched.calls.length - calls).toBeLessThanOrEqual(1);
});

test('the Secret of an earlier resource that was kept stays, whatever becomes of a new object of its name', async () => {
  await using world = await startWorld(sharedProject);
  world.project.faults.add({ kind: 'errorBefore', operation: 'createService', status: 422, body: { message: 'no' } });
  await world.apply(service('orders'));
  await world.untilReason('service', 'orders', 'Rejected');
  const metadata = {
    name: 'orders-db',
    labels: { 'managed-db.io/connection': 'true' },
    annotations: { 'managed-db.io/owner': 'ManagedService/orders', 'managed-db.io/id': 'k2m9q1zx4w' },
  };
  await world.apply({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: { password: 'x' } });
  await world.untilReason('service', 'orders', 'SecretConflict');
  expect(await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=20s'])).toMatchObject({ code: 0 });
  expect(await world.secret('orders-db')).toEqual({ password: 'x' });
});

test('a password on its way to an earlier resource is not sent to the next', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const metadata = {
    name: 'orders-db-pending',
    labels: { 'managed-db.io/connection': 'true' },
    annotations: {
      'managed-db.io/owner': 'ManagedService/orders',
      'managed-db.io/pending': 'true',
      'managed-db.io/id': 'k2m9q1zx4w',
    },
  };
  await world.apply({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: { password: 'of-another' } });
  await world.apply(service('orders', { password: { rotation: 'now' } }));
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain('"orders-db-pending"');
  expect([passwordSets(world), passwordOf(world, id) === (await storedIn(world, 'orders-db'))]).toEqual([0, true]);
});
