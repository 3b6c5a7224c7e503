import { expect, test } from 'vitest';
import { force } from '../../../src/simulator/store.ts';
import { operatorThatDies } from '../../crash/fence.ts';
import { callsOf, commitsOf } from '../../support/cloud-calls.ts';
import { heldPassword } from '../../support/held-password.ts';
import { replicaSet, secret, service } from '../../support/manifests.ts';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { untilSecret } from '../../support/until-secret.ts';
import { takeThePlace } from '../../support/take-the-place.ts';
import { whileStopped } from '../../support/while-stopped.ts';
import { startWorld, type World } from '../../support/world.ts';

/** The password in the connection Secret is the one that the cloud has, and none goes where it does not belong. (docs/safety.md, Passwords) */

const passwordSets = (world: World) => commitsOf(world, 'updateServicePassword');
const passwordOf = (world: World, id: string) => world.project.stores.service.get(id)?.password;
const storedIn = async (world: World, name: string) => (await world.secret(name))?.['password'];

/** A connection Secret that may not be changed is in the way of a rotation. */
async function frozen(world: World, spec: object = {}): Promise<string> {
  const id = await readyService(world);
  await world.kubectl(['patch', 'secret', 'orders-db', '--type=merge', '-p', '{"immutable":true}']);
  await world.apply(service('orders', { password: { rotation: 'x' }, ...spec }));
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain('field is immutable');
  return id;
}

test("another connection's Secret under the name of the pending one is neither sent nor removed", async () => {
  await using world = await startWorld();
  const id = await readyService(world, { connectionSecret: { name: 'db' } });
  const other = await readyService(world, { connectionSecret: { name: 'db-pending' } }, 'other');
  const before = [passwordOf(world, id), passwordOf(world, other)];
  await world.apply(service('orders', { connectionSecret: { name: 'db' }, password: { rotation: 'now' } }));
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain('"db-pending"');
  expect([passwordOf(world, id), passwordOf(world, other)]).toEqual(before);
  expect(await storedIn(world, 'db-pending')).toBe(before[1]);
});

test('a password whose first send got no answer is kept, although the cloud refuses the second', async () => {
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

test('a Secret that Kubernetes refuses is shown with its message, and no password is set for it', async () => {
  await using world = await startWorld();
  await frozen(world);
  await world.sync('service', 'orders');
  expect(callsOf(world, 'updateServicePassword')).toBe(0);
});

test('a crash while a deleted Secret is recreated changes no password', async () => {
  await using world = await startWorld({ start: false });
  const first = await operatorThatDies(world, { call: 'POST secrets/orders-db #2', harm: 'beforeSent' });
  const id = await readyService(world, { password: { rotation: 'x' } });
  const before = passwordOf(world, id);
  await world.kubectl(['delete', '--wait=false', 'secret', 'orders-db']);
  await first.died;
  await world.startedOperator();
  await until('the Secret', () => world.secret('orders-db'));
  await world.untilReady('service', 'orders');
  await world.sync('service', 'orders');
  expect([passwordOf(world, id), await storedIn(world, 'orders-db')]).toEqual([before, before]);
});

test('a pending password is set though its connection moves', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  world.project.faults.add({ kind: 'replyLost', operation: 'updateServicePassword', times: 1 });
  world.project.faults.add({ kind: 'errorBefore', operation: 'updateServicePassword', status: 503 });
  await world.apply(service('orders', { password: { rotation: 'one' } }));
  await until('a try', () => callsOf(world, 'updateServicePassword') > 0);
  force(world.project, { kind: 'service', id, status: 'PAUSED' });
  await world.apply({ ...service('orders'), spec: { cpuMillis: 1000, memoryGbs: 4, connectionSecret: { name: 'elsewhere' } } });
  world.project.faults.clear();
  force(world.project, { kind: 'service', id, status: 'READY' });
  await until('the move', () => world.secret('elsewhere'));
  await until('the old ones to go', async () => !(await world.secret('orders-db')) && !(await world.secret('orders-db-pending')));
  await world.untilReady('service', 'orders');
  expect(await storedIn(world, 'elsewhere')).toBe(passwordOf(world, id));
});

test('a password that an earlier process sent, and that the cloud is slow to take, goes along when its connection moves', async () => {
  await using world = await startWorld({ speed: 20 });
  const id = await readyService(world);
  world.project.faults.add({ kind: 'delay', operation: 'updateServicePassword', delayMs: 6_000, times: 1 });
  await world.apply(service('orders', { password: { rotation: 'one' } }));
  await until('the call', () => callsOf(world, 'updateServicePassword') > 0);
  const sent = await storedIn(world, 'orders-db-pending');
  await whileStopped(world, async () => {
    await takeThePlace(world);
    await world.apply(service('orders', { password: { rotation: 'one' }, connectionSecret: { name: 'elsewhere' } }));
  });
  await until('a password under the new name', async () => (await storedIn(world, 'elsewhere')) !== undefined);
  expect(await storedIn(world, 'elsewhere')).toBe(sent);
  await until('the first call to be carried out', () => commitsOf(world, 'updateServicePassword') === 2);
  await until('the old one to go', async () => !(await world.secret('orders-db-pending')));
  await world.untilReady('service', 'orders');
  expect([await storedIn(world, 'elsewhere'), sent]).toEqual([passwordOf(world, id), passwordOf(world, id)]);
});

test('a pending password for a previous resource is not sent to the next one', async () => {
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

test('a pending password for a retained service is not sent to another one, and stays', async () => {
  await using world = await startWorld();
  const kept = { deletionPolicy: 'Retain' };
  const first = await readyService(world, kept);
  world.project.faults.add({ kind: 'replyLost', operation: 'updateServicePassword', times: 1 });
  world.project.faults.add({ kind: 'errorBefore', operation: 'updateServicePassword', status: 503 });
  await world.apply(service('orders', { ...kept, password: { rotation: 'one' } }));
  await until('two tries', () => callsOf(world, 'updateServicePassword') > 1);
  await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=20s']);
  const only = await storedIn(world, 'orders-db-pending');
  expect(only).toBe(passwordOf(world, first));

  world.project.faults.clear();
  await world.kubectl(['delete', 'secret', 'orders-db', '--timeout=20s']);
  const sent = passwordSets(world);
  await readyService(world);
  await world.sync('service', 'orders');
  expect([await storedIn(world, 'orders-db-pending'), passwordSets(world)]).toEqual([only, sent]);
});

test('a refused password gives way to the corrected one, although its first send got no answer', async () => {
  await using world = await startWorld({ speed: 600 });
  const id = await readyService(world);
  await world.apply(secret('pw', { password: 'short' }));
  world.project.faults.add({ kind: 'dropBefore', operation: 'updateServicePassword', times: 1 });
  world.project.faults.add({ kind: 'errorBefore', operation: 'updateServicePassword', status: 422, body: { message: 'too short' } });
  await world.apply(service('orders', { password: { secretRef: { name: 'pw', key: 'password' } } }));
  await world.untilReason('service', 'orders', 'Rejected');
  await world.apply(secret('pw', { password: 'long-enough-by-now' }));
  await untilSecret(world, 'orders-db-pending', { password: 'long-enough-by-now' });
  world.project.faults.clear();
  await untilSecret(world, 'orders-db', { password: 'long-enough-by-now' });
  expect(passwordOf(world, id)).toBe('long-enough-by-now');
});

test('a replica set with a refused change still follows the password of its service', async () => {
  await using world = await startWorld();
  await world.apply(service('orders'), replicaSet('reads', 'orders'));
  await world.untilReady('replicaSet', 'reads');
  const { password: before } = (await world.secret('orders-db')) ?? {};
  world.project.faults.add({ kind: 'errorBefore', operation: 'resizeReplicaSet', status: 422, body: { message: 'too big' } });
  await world.apply(replicaSet('reads', 'orders', { cpuMillis: 64_000 }));
  await world.untilReason('replicaSet', 'reads', 'Rejected');
  const id = await readyService(world, { password: { rotation: 'one' } });
  const password = passwordOf(world, id) ?? '';
  expect(password).not.toBe(before);
  await untilSecret(world, 'reads-replicas-db', { password });
});

test('a password whose Secret Kubernetes refuses does not hold up other changes', async () => {
  await using world = await startWorld();
  await frozen(world, { environment: 'PROD' });
  await until('the change', () => commitsOf(world, 'setServiceEnvironment') === 1);
  expect(passwordSets(world)).toBe(0);
});

test('an immutable connection Secret that blocks a rotation can be deleted', async () => {
  await using world = await startWorld();
  const id = await frozen(world);
  expect(await world.kubectl(['delete', 'secret', 'orders-db', '--timeout=15s'])).toMatchObject({ code: 0 });
  await until('the rotation', () => passwordSets(world) === 1);
  await world.untilReady('service', 'orders');
  expect(await storedIn(world, 'orders-db')).toBe(passwordOf(world, id));
});

test('an immutable connection Secret that blocks a rotation can be left for another name', async () => {
  await using world = await startWorld();
  const id = await frozen(world);
  await world.applyUntilReady(service('orders', { connectionSecret: { name: 'elsewhere' } }));
  expect([await storedIn(world, 'elsewhere'), passwordSets(world)]).toEqual([passwordOf(world, id), 0]);
});

test('a password that the cloud took arrives under another name where the connection Secret became immutable meanwhile', async () => {
  await using world = await startWorld({ start: false });
  const reply = await heldPassword(world);
  const { id } = reply;
  await world.apply(service('orders', { password: { rotation: 'one' } }));
  await reply.answered;
  await world.kubectl(['patch', 'secret', 'orders-db', '--type=merge', '-p', '{"immutable":true}']);
  reply.release();
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain('field is immutable');
  await world.apply(service('orders', { password: { rotation: 'one' }, connectionSecret: { name: 'elsewhere' } }));
  await until('the old ones to go', async () => !(await world.secret('orders-db')) && !(await world.secret('orders-db-pending')));
  await world.untilReady('service', 'orders');
  expect([await storedIn(world, 'elsewhere'), passwordSets(world)]).toEqual([passwordOf(world, id), 1]);
});
