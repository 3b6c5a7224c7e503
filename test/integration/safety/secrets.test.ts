import { expect, test } from 'vitest';
import { readyOf } from '../../../src/resources/condition.ts';
import { secretsWithData } from '../../../src/resources/connection-secret.ts';
import { resourceKey } from '../../../src/runtime/index.ts';
import { fence } from '../../crash/fence.ts';
import { callsOf, commitsOf } from '../../support/cloud-calls.ts';
import { replicaSet, service } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { readyService } from '../../support/ready-service.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { takeThePlace } from '../../support/take-the-place.ts';
import { until } from '../../support/until.ts';
import { whileStopped } from '../../support/while-stopped.ts';
import { startWorld, type World } from '../../support/world.ts';

/** Secrets that are not the operator's stay as they are, and the operator's own say what apps need, whatever else goes on. (docs/safety.md, Passwords; What a Secret proves) */

const passwordSets = (world: World) => commitsOf(world, 'updateServicePassword');
const passwordOf = (world: World, id: string) => world.project.stores.service.get(id)?.password;
const storedIn = async (world: World, name: string) => (await world.secret(name))?.['password'];
const metadataOf = async (world: World, name: string) =>
  (await world.kubernetes.get(secretsWithData, resourceKey(world.namespace, name)))?.metadata;

test("a foreign Secret under the connection's name is reported, left alone, and does not hold up other changes", async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await whileStopped(world, () => takeThePlace(world));
  await world.untilReason('service', 'orders', 'SecretConflict');
  await world.apply(service('orders', { environment: 'PROD' }));
  await until('the change', () => world.project.commits.get('setServiceEnvironment') === 1);
  expect(await world.secret('orders-db')).toEqual({ theirs: 'x' });
  expect(passwordSets(world)).toBe(0);

  await world.applyUntilReady(service('orders', { environment: 'PROD', connectionSecret: { name: 'elsewhere' } }));
  expect(await storedIn(world, 'elsewhere')).toBe(passwordOf(world, id));
  expect(await world.secret('orders-db')).toEqual({ theirs: 'x' });
});

test('of two services that ask for one Secret, the second moves away', async () => {
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

test('an observed object needs no Secret, whatever exists under its name', async () => {
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

test('a deleted Secret is recreated with its annotations of create and password', async () => {
  await using world = await startWorld();
  await readyService(world, { password: { rotation: 'x' } });
  const before = await metadataOf(world, 'orders-db');
  await world.kubectl(['delete', 'secret', 'orders-db', '--timeout=20s']);
  const after = await until('another', async () => {
    const now = await metadataOf(world, 'orders-db');
    return now && now.uid !== before?.uid ? now : undefined;
  });
  const { attempt, handled } = { attempt: 'managed-db.io/attempt', handled: 'managed-db.io/password-handled' };
  expect([after.annotations?.[attempt], after.annotations?.[handled]]).toEqual([before?.annotations?.[attempt], 'rotation x']);
});

test('a replica set keeps user, database and password when its service object is deleted, and is not written in a loop', async () => {
  await using world = await startWorld({ start: false });
  const watched = fence();
  await world.startedOperator({ intercept: watched.intercept });
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

test('a service with a refused pooler still publishes its address', async () => {
  await using world = await startWorld();
  world.project.faults.add({ kind: 'errorBefore', operation: 'enableServicePooler', status: 422, body: { message: 'not in your plan' } });
  await world.apply(service('orders', { connectionPooler: { enabled: true } }));
  await world.untilReason('service', 'orders', 'Rejected');
  const host = await until('the address', async () => (await world.secret('orders-db'))?.['host']);
  expect(host).toBe((await world.service('orders'))?.status?.service?.endpoint?.host);
});

test('a connection Secret that is deleted while a change is refused is recreated', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  world.project.faults.add({ kind: 'errorBefore', operation: 'resizeService', status: 422, body: { message: 'too big' } });
  await world.apply(service('orders', { cpuMillis: 64_000 }));
  await world.untilReason('service', 'orders', 'Rejected');
  expect(await world.kubectl(['delete', 'secret', 'orders-db', '--timeout=15s'])).toMatchObject({ code: 0 });
  await until('another', () => world.secret('orders-db'));
  expect([await storedIn(world, 'orders-db'), passwordSets(world)]).toEqual([passwordOf(world, id), 0]);
});

test('a foreign Secret is not shown as the binding', async () => {
  await using world = await startWorld();
  await readyService(world);
  await whileStopped(world, () => takeThePlace(world));
  await world.untilReason('service', 'orders', 'SecretConflict');
  await world.sync('service', 'orders');
  expect((await world.service('orders'))?.status?.binding).toBeUndefined();
});

test('a deleted connection Secret with a foreign finalizer is reported', async () => {
  await using world = await startWorld();
  await readyService(world);
  const held = '[{"op":"add","path":"/metadata/finalizers/-","value":"example.com/backup"}]';
  expect(await world.kubectl(['patch', 'secret', 'orders-db', '--type=json', '-p', held])).toMatchObject({ code: 0 });
  await world.kubectl(['delete', 'secret', 'orders-db', '--wait=false']);
  await world.apply(service('orders', { cpuMillis: 2000, memoryGbs: 8 }));
  await until(
    'the resize',
    () => callsOf(world, 'resizeService') === 1,
    () => world.service('orders'),
  );
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain('orders-db');
});

test('a Secret that takes the place of ours while the request to delete ours is on its way stays', async () => {
  await using world = await startWorld({ start: false });
  let isTaken = false;
  await world.startedOperator({
    intercept: (dispatch) => (options, handler) => {
      if (isTaken || options.method !== 'DELETE' || !options.path.includes('/secrets/orders-db')) return dispatch(options, handler);
      isTaken = true;
      void takeThePlace(world).then(() => dispatch(options, handler));
      return true;
    },
  });
  await readyService(world);
  await world.remove('service', 'orders');
  expect([isTaken, await world.secret('orders-db')]).toEqual([true, { theirs: 'x' }]);
});

test('the Secret of a kept service that is put back during a create of the same name keeps its password, which nobody else has', async () => {
  await using world = await startWorld();
  await readyService(world, { deletionPolicy: 'Retain' });
  await world.remove('service', 'orders');
  const kept = await world.kubernetes.get(secretsWithData, resourceKey(world.namespace, 'orders-db'));
  const { labels, annotations } = kept?.metadata ?? {};
  await world.kubectl(['delete', 'secret', 'orders-db']);
  world.project.faults.add({ kind: 'delayReply', operation: 'createService', times: 1, delayMs: 2_000 });
  await world.apply(service('orders', { deletionPolicy: 'Retain' }));
  await until('the create', () => callsOf(world, 'createService') === 2);
  const back = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'orders-db', labels, annotations }, stringData: kept?.data };
  expect(await world.kubectl(['create', '-f', '-'], JSON.stringify(back))).toMatchObject({ code: 0 });
  await until('an end', async () => ['Available', 'RecordConflict'].includes(readyOf((await world.service('orders')) ?? {})?.reason ?? ''));
  expect([await storedIn(world, 'orders-db'), world.project.everCreated.length]).toEqual([kept?.data['password'], 2]);
});
