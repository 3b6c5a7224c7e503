import { expect, test } from 'vitest';
import { operatorThatDies } from '../../crash/fence.ts';
import { callsOf, commitsOf } from '../../support/cloud-calls.ts';
import { heldPassword } from '../../support/held-password.ts';
import { letPass } from '../../support/let-pass.ts';
import { replicaSet, secret, service } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { readyService } from '../../support/ready-service.ts';
import { refusing } from '../../support/refusing.ts';
import { until } from '../../support/until.ts';
import { untilSecret } from '../../support/until-secret.ts';
import { untilTold } from '../../support/until-told.ts';
import { startWorld, type World } from '../../support/world.ts';

/** A password that somebody writes into the connection Secret is a request: the cloud gets it, or it is told why not. (docs/safety.md, Passwords) */

const passwordSets = (world: World) => commitsOf(world, 'updateServicePassword');
const passwordOf = (world: World, id: string) => world.project.stores.service.get(id)?.password;
const storedIn = async (world: World, name: string) => (await world.secret(name))?.['password'];
const write = (world: World, password: string) =>
  world.kubectl(['patch', 'secret', 'orders-db', '--type=merge', '-p', JSON.stringify({ stringData: { password } })]);
const refused = { kind: 'errorBefore', operation: 'updateServicePassword', status: 422, body: { message: 'too weak' } } as const;

test('a password that is written into the connection Secret is set in the cloud, once', async () => {
  await using world = await startWorld();
  const id = await readyService(world, { password: { rotation: 'one' } });
  await world.applyUntilReady(replicaSet('reads', 'orders'));
  await write(world, 'written-by-hand');
  await until('the cloud to have it', () => passwordOf(world, id) === 'written-by-hand');
  await untilTold(world, 'the password that was written into Secret "orders-db" was set');
  await until('the URI', async () => (await world.secret('orders-db'))?.['uri']?.includes(':written-by-hand@'));
  await untilSecret(world, 'reads-replicas-db', { password: 'written-by-hand' });
  await world.untilReady('service', 'orders');
  await world.sync('service', 'orders');
  expect([passwordSets(world), await storedIn(world, 'orders-db')]).toEqual([1, 'written-by-hand']);
  expect(world.log.join('')).not.toContain('written-by-hand');
});

test.each([
  ['a rotation', { rotation: 'one' }],
  ["the password of a user's Secret", { secretRef: { name: 'mine' } }],
])('a password that is written into the connection Secret while the cloud sets %s is set next', async (_, wanted) => {
  await using world = await startWorld({ start: false });
  const reply = await heldPassword(world);
  const { id } = reply;
  await world.apply(secret('mine', { password: 'of-my-own-secret' }), service('orders', { password: wanted }));
  await reply.answered;
  await write(world, 'written-by-hand');
  reply.release();
  await until('the cloud to have it', () => passwordOf(world, id) === 'written-by-hand');
  await untilTold(world, 'the password that was written into Secret "orders-db" was set');
  await until('the URI', async () => (await world.secret('orders-db'))?.['uri']?.includes(':written-by-hand@'));
  await world.untilReady('service', 'orders');
  await world.sync('service', 'orders');
  expect([passwordSets(world), await storedIn(world, 'orders-db')]).toEqual([2, 'written-by-hand']);
});

test('a refused password in the Secret is shown; its dependents keep the old one, and a rotation ends it', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await world.applyUntilReady(replicaSet('reads', 'orders'));
  const { password: before = '', uri } = (await world.secret('orders-db')) ?? {};
  world.project.faults.add(refused);
  await write(world, 'written-by-hand');
  const message = await world.untilReason('service', 'orders', 'Rejected');
  expect(message).toContain('spec.password.rotation');
  expect(message).not.toContain('written-by-hand');
  await world.kubectl(['patch', 'secret', 'orders-db', '--type=merge', '-p', '{"stringData":{"username":"root"}}']);
  await untilSecret(world, 'orders-db', { username: 'postgres', password: 'written-by-hand', uri: uri ?? '' });
  await letPass(world, 60_000);
  expect([await storedIn(world, 'reads-replicas-db'), passwordOf(world, id)]).toEqual([before, before]);
  expect(callsOf(world, 'updateServicePassword')).toBeLessThan(4);
  world.project.faults.clear();
  await world.apply(service('orders', { password: { rotation: 'away' } }));
  await until('another', () => passwordOf(world, id) !== before);
  await untilTold(world, 'the password was set, in place of the password that was written into Secret "orders-db"');
  await world.untilReady('service', 'orders');
  expect(await storedIn(world, 'orders-db')).toBe(passwordOf(world, id));
  expect(passwordOf(world, id)).not.toBe('written-by-hand');
});

test.each(['beforeSent', 'replyLost', 'afterReply'] as const)(
  'a crash (%s) while a written password is set loses nothing',
  async (harm) => {
    await using world = await startWorld({ start: false });
    const first = await operatorThatDies(world, { call: 'POST services/*/updatePassword #1', harm });
    const id = await readyService(world);
    await write(world, 'written-by-hand');
    await first.died;
    await world.startedOperator();
    await until('the end of it', async () => (await world.secret('orders-db-pending')) === undefined && passwordSets(world) > 0);
    await world.untilReady('service', 'orders');
    expect([passwordOf(world, id), await storedIn(world, 'orders-db')]).toEqual(['written-by-hand', 'written-by-hand']);
  },
);

test('a password that is written while no operator runs is noticed, even if its Secret moves at once', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await world.stopOperators();
  await write(world, 'written-by-hand');
  await world.apply(service('orders', { connectionSecret: { name: 'elsewhere' } }));
  await world.startedOperator();
  await untilSecret(world, 'elsewhere', { password: 'written-by-hand' });
  await until('the cloud to have it', () => passwordOf(world, id) === 'written-by-hand');
  await world.untilReady('service', 'orders');
  expect(await storedIn(world, 'elsewhere')).toBe('written-by-hand');
});

test.each([
  ['is set, and the Secret of the new name has it', {}, 'wish-of-a-person', 'is carried over: Secret "elsewhere" has the connection now'],
  [
    'is told, where another was set since',
    { password: { rotation: '2' } },
    'another',
    'is not set, for Secret "elsewhere" has another one since',
  ],
] as const)(
  'a password that is written into the old Secret of a move while its removal is refused %s',
  async (_what, spec, which, told) => {
    await using world = await startWorld({ start: false });
    let isRefused = false;
    await world.startOperator({
      intercept: refusing(({ method, path }) =>
        isRefused && method === 'DELETE' && path.endsWith('/secrets/orders-db') ? { code: 403, message: 'not now' } : undefined,
      ),
    });
    const id = await readyService(world);
    isRefused = true;
    const moved = { connectionSecret: { name: 'elsewhere' } };
    await world.apply(service('orders', moved));
    await until('the move', async () => recordOf(await world.service('orders')).secretName === 'elsewhere');
    await write(world, 'wish-of-a-person');
    const first = passwordOf(world, id);
    await world.apply(service('orders', { ...moved, ...spec }));
    if ('password' in spec) await until('the rotation', () => passwordOf(world, id) !== first);
    isRefused = false;
    const events = await until('the event', async () => {
      const { stdout } = await world.kubectl(['get', 'events', '-o', 'json']);
      return stdout.includes('written into Secret') && stdout.includes('orders-db') && stdout;
    });
    expect(events).toContain(JSON.stringify(told).slice(1, -1));
    const isWish = which === 'wish-of-a-person';
    expect((await storedIn(world, 'elsewhere')) === 'wish-of-a-person').toBe(isWish);
    if (isWish) await until('the cloud to have it', () => passwordOf(world, id) === which);
    await until('the old Secret to go', async () => (await world.secret('orders-db')) === undefined);
    await world.untilReady('service', 'orders');
    expect(await storedIn(world, 'elsewhere')).toBe(passwordOf(world, id));
  },
);

test('a Secret without a password digest gets one, and no password is sent for that', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const before = passwordOf(world, id);
  await world.kubectl(['annotate', 'secret', 'orders-db', 'managed-db.io/password-digest-']);
  const digest = ['get', 'secret', 'orders-db', '-o', 'jsonpath={.metadata.annotations.managed-db\\.io/password-digest}'];
  await until('a digest', async () => (await world.kubectl(digest)).stdout !== '');
  await world.untilReady('service', 'orders');
  expect([await storedIn(world, 'orders-db'), callsOf(world, 'updateServicePassword')]).toEqual([before, 0]);
});

test.each([
  ['in the connection Secret', (world: World) => write(world, 'x7!kQ')],
  [
    'in a Secret of the user',
    async (world: World) => {
      await world.apply(secret('mine', { password: 'x7!kQ' }));
      await world.apply(service('orders', { password: { secretRef: { name: 'mine' } } }));
    },
  ],
])('a password of less than eight characters %s is never sent, and reported without its value', async (_where, act) => {
  await using world = await startWorld();
  const id = await readyService(world);
  const before = passwordOf(world, id);
  await act(world);
  const message = await world.untilReason('service', 'orders', 'Rejected');
  expect(message).toContain('8 characters');
  expect(message).not.toContain('x7!kQ');
  await world.sync('service', 'orders');
  expect([callsOf(world, 'updateServicePassword'), passwordOf(world, id)]).toEqual([0, before]);
});

const long = 'x7!kQ'.repeat(20_000);
test.each([
  ['in the connection Secret', (world: World) => write(world, long)],
  [
    'in a Secret of the user',
    (world: World) => world.apply(secret('mine', { password: long }), service('orders', { password: { secretRef: { name: 'mine' } } })),
  ],
])('a password of more than 1024 characters %s is never sent, and reported without its value', async (_where, act) => {
  await using world = await startWorld();
  const id = await readyService(world);
  const before = passwordOf(world, id);
  await act(world);
  const message = await world.untilReason('service', 'orders', 'Rejected');
  expect(message).toContain('more than 1024 characters; put a shorter one there');
  expect(message).not.toContain('x7!kQ');
  await world.sync('service', 'orders');
  expect([callsOf(world, 'updateServicePassword'), passwordOf(world, id)]).toEqual([0, before]);
});

test('a short password of the user that gets longer is sent at once', async () => {
  await using world = await startWorld({ speed: 10, latencyMs: 500 });
  await world.apply(secret('mine', { password: 'short' }));
  await world.apply(service('orders', { password: { secretRef: { name: 'mine' } } }));
  await world.untilReason('service', 'orders', 'Rejected');
  await world.apply(secret('mine', { password: 'long-enough' }));
  await world.untilReady('service', 'orders');
  expect(await storedIn(world, 'orders-db')).toBe('long-enough');
});
