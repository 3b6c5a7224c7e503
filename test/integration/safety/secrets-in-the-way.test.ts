import { expect, test } from 'vitest';
import { callsOf, commitsOf } from '../../support/cloud-calls.ts';
import { holdSecret } from '../../support/hold-secret.ts';
import { secret, service } from '../../support/manifests.ts';
import { readyService } from '../../support/ready-service.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** The advice about a Secret that has the name of another one: followed to the letter, it ends the conflict, and nothing is lost by it. (docs/reasons.md) */

const passwordOf = (world: World, id: string) => world.project.stores.service.get(id)?.password;
const storedIn = async (world: World, name: string) => (await world.secret(name))?.['password'];
const toDelete = 'delete that Secret';

test('the Secret of a service that was kept is told with the id, and what its deletion may mean; another name leaves it alone', async () => {
  await using world = await startWorld(sharedProject);
  const id = await readyService(world, { deletionPolicy: 'Retain' });
  await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=20s']);
  await world.createInCloud('services', { name: 'legacy', cpu_millis: '1000', memory_gbs: '4' });
  const other = { 'managed-db.io/external-id': world.project.everCreated.at(-1)?.id ?? '' };
  await world.apply(service('orders', {}, other));
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain(`the only copy of the password of ${id}`);
  await world.applyUntilReady(service('orders', { connectionSecret: { name: 'elsewhere' } }, other));
  expect(await storedIn(world, 'orders-db')).toBe(passwordOf(world, id));
});

test.each([
  ['the id: its digest tells it', ['managed-db.io/id-'], 'may have the only copy of the password of'],
  ['id and digest', ['managed-db.io/id-', 'managed-db.io/password-digest-'], 'what an earlier ManagedService/orders had'],
])(
  'the Secret of a service that was kept is no other one, though it lost %s: a new object of that name is told',
  async (_, lost, words) => {
    await using world = await startWorld();
    const id = await readyService(world, { deletionPolicy: 'Retain' });
    await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=20s']);
    await world.kubectl(['annotate', 'secret', 'orders-db', ...lost]);
    await world.apply(service('orders'));
    expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain(words);
    await world.applyUntilReady(service('orders', { connectionSecret: { name: 'elsewhere' } }));
    expect([await storedIn(world, 'orders-db'), world.project.everCreated.length]).toEqual([passwordOf(world, id), 2]);
  },
);

test.each([
  ['another name', (world: World) => world.apply(service('orders', { connectionSecret: { name: 'elsewhere' } }))],
  ['its deletion', (world: World) => world.kubectl(['delete', 'secret', 'orders-db'])],
])(
  'the Secret of a kept service that another object has by now is told as the reason, and %s gives a service of its own',
  async (_, end) => {
    await using world = await startWorld(sharedProject);
    const id = await readyService(world, { deletionPolicy: 'Retain' });
    await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=20s']);
    await world.applyUntilReady(service('again', {}, { 'managed-db.io/external-id': id }));
    await world.apply(service('orders'));
    expect(await world.untilReason('service', 'orders', 'OwnedByAnother')).toContain('only Secret "orders-db" says');
    await end(world);
    await world.untilReady('service', 'orders');
    const [kept, own] = [await world.service('again'), await world.service('orders')].map((object) => object?.status?.id);
    expect([kept, own === id, world.project.everCreated.length, callsOf(world, 'deleteService')]).toEqual([id, false, 2, 0]);
  },
);

test('nobody is told to delete the Secret with an API key in use; another name ends the conflict', async () => {
  await using world = await startWorld();
  await world.apply(secret('cloud', { apiKey: world.project.apiKey }));
  await readyService(world, { credentialsRef: { name: 'cloud' } }, 'other');
  await world.apply(service('orders', { credentialsRef: { name: 'cloud' }, connectionSecret: { name: 'cloud' } }));
  const message = await world.untilReason('service', 'orders', 'SecretConflict');
  expect([message.includes('API key'), message.includes(toDelete)]).toEqual([true, false]);
  await readyService(world, { credentialsRef: { name: 'cloud' }, connectionSecret: { name: 'elsewhere' } });
});

test.each(['here', 'there'])('nobody is told to delete the Secret of another service; another name %s ends the conflict', async (where) => {
  await using world = await startWorld();
  await readyService(world, { connectionSecret: { name: 'shared' } }, 'first');
  await world.apply(service('second', { connectionSecret: { name: 'shared' } }));
  const message = await world.untilReason('service', 'second', 'SecretConflict');
  expect([message.includes('ManagedService/first'), message.includes(toDelete)]).toEqual([true, false]);
  const [mover, other] = where === 'here' ? ['second', 'first'] : ['first', 'second'];
  await world.apply(service(mover, { connectionSecret: { name: 'elsewhere' } }));
  await world.untilReady('service', other);
  await world.untilReady('service', mover);
  const idOf = async (name: string) => (await world.service(name))?.status?.id ?? '';
  await until('its password', async () => (await storedIn(world, 'shared')) === passwordOf(world, await idOf(other)));
  await until('the other password', async () => (await storedIn(world, 'elsewhere')) === passwordOf(world, await idOf(mover)));
  expect(callsOf(world, 'updateServicePassword')).toBe(0);
});

test.each(["another service's Secret", 'a Secret of the user'])(
  'a deleted Secret is made again under another name where %s has the name of the pending one',
  async (what) => {
    await using world = await startWorld();
    const id = await readyService(world, { connectionSecret: { name: 'db' } });
    if (what.startsWith('another')) await readyService(world, { connectionSecret: { name: 'db-pending' } }, 'other');
    else await world.apply(secret('db-pending', { mine: 'x' }));
    const before = await world.secret('db-pending');
    await world.kubectl(['delete', 'secret', 'db', '--wait=false']);
    expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain('"db-pending"');
    await world.apply(service('orders', { connectionSecret: { name: 'elsewhere' } }));
    await until('the old one to go', async () => !(await world.secret('db')) && (await storedIn(world, 'elsewhere')) !== undefined);
    await world.untilReady('service', 'orders');
    expect([await storedIn(world, 'elsewhere'), callsOf(world, 'updateServicePassword')]).toEqual([passwordOf(world, id), 0]);
    expect(await world.secret('db-pending')).toEqual(before);
  },
);

test('a service whose connection gets the name of its own pending Secret is told of the password there', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  world.project.faults.add({ kind: 'replyLost', operation: 'updateServicePassword', times: 1 });
  world.project.faults.add({ kind: 'errorBefore', operation: 'updateServicePassword', status: 422, body: { message: 'not now' } });
  await world.apply(service('orders', { password: { rotation: 'one' } }));
  await until('two tries', () => callsOf(world, 'updateServicePassword') > 1);
  await world.apply(service('orders', { password: { rotation: 'one' }, connectionSecret: { name: 'orders-db-pending' } }));
  const message = await world.untilReason('service', 'orders', 'SecretConflict');
  expect([message.includes('on its way'), message.includes(toDelete)]).toEqual([true, false]);
  world.project.faults.clear();
  await world.apply(service('orders', { password: { rotation: 'one' }, connectionSecret: { name: 'elsewhere' } }));
  await until('the old ones to go', async () => !(await world.secret('orders-db')) && !(await world.secret('orders-db-pending')));
  await world.untilReady('service', 'orders');
  expect(await storedIn(world, 'elsewhere')).toBe(passwordOf(world, id));
});

test("with the operator's key, too, who holds the Secret of a deleted service is told, and another service is made once it is gone", async () => {
  await using world = await startWorld();
  const old = await readyService(world);
  await holdSecret(world, 'orders-db');
  await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=20s']);
  await world.apply(service('orders'));
  const stalled = async () =>
    (await world.service('orders'))?.status?.conditions?.find(({ type, status }) => type === 'Stalled' && status === 'True');
  const { message } = await until('what is in the way', stalled);
  expect([message.includes('example.com/backup'), message.includes(toDelete)]).toEqual([true, false]);
  await world.kubectl(['patch', 'secret', 'orders-db', '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
  await world.untilReady('service', 'orders');
  const id = (await world.service('orders'))?.status?.id ?? '';
  expect([id === old, await storedIn(world, 'orders-db'), commitsOf(world, 'createService')]).toEqual([false, passwordOf(world, id), 2]);
});
