import { expect, test } from 'vitest';
import { callsOf, commitsOf } from '../../support/cloud-calls.ts';
import { heldReply } from '../../support/held-reply.ts';
import { letPass } from '../../support/let-pass.ts';
import { service } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { ledgerNamespace, startWorld, type World } from '../../support/world.ts';

/** A process that is frozen with an answer in hand, and goes on when other processes have done its work. (docs/safety.md, Passwords) */

const passwordOf = (world: World, id: string) => world.project.stores.service.get(id)?.password;
const storedIn = async (world: World, name: string) => (await world.secret(name))?.['password'];

/** Two operators: the first has asked for a service and not heard the answer, the second has found out and made it ready. */
async function overtaken() {
  const world = await startWorld({ start: false });
  const reply = heldReply(({ method, path }) => method === 'POST' && path.endsWith('/services'));
  const frozen = await world.startedOperator({ intercept: reply.intercept });
  await world.apply(service('orders'));
  await reply.answered;
  const second = await world.startedOperator();
  await world.untilReady('service', 'orders');
  return { world, frozen, second, reply };
}

test('a late answer does not replace the password that was set meanwhile', async () => {
  const { world, frozen, reply } = await overtaken();
  await using _ = world;
  const id = (await world.service('orders'))?.status?.id ?? '';
  expect(commitsOf(world, 'updateServicePassword')).toBe(1);
  reply.release();
  await until('the first to go on', () => frozen.idle);
  await letPass(world, 10_000);
  expect(await storedIn(world, 'orders-db')).toBe(passwordOf(world, id));
  expect(callsOf(world, 'createService')).toBe(1);
});

test('a late answer leaves no Secret for an object that is gone', async () => {
  const { world, frozen, reply } = await overtaken();
  await using _ = world;
  expect(
    await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=20s']),
  ).toMatchObject({ code: 0 });
  expect(await world.secret('orders-db')).toBeUndefined();
  reply.release();
  await until('the first to go on', () => frozen.idle);
  await letPass(world, 10_000);
  expect(await world.secret('orders-db')).toBeUndefined();
});

test('a process that was frozen before it sent a password does not send the password after a second process has sent it and the next', async () => {
  await using world = await startWorld({ start: false });
  const sets = () => commitsOf(world, 'updateServicePassword');
  const reply = heldReply(({ method, path, body }) => {
    return (
      method === 'PATCH' &&
      path.includes(ledgerNamespace) &&
      typeof body === 'string' &&
      body.includes('"nextPassword":"')
    );
  });
  const frozen = await world.startedOperator({ intercept: reply.intercept });
  await world.applyUntilReady(service('orders'));
  await world.apply(service('orders', { password: { rotation: 'one' } }));
  await reply.answered;
  await world.startedOperator();
  await until('the first password', () => sets() === 1);
  await world.untilReady('service', 'orders');
  await world.apply(service('orders', { password: { rotation: 'two' } }));
  await until('the second password', () => sets() === 2);
  await world.untilReady('service', 'orders');
  reply.release();
  await until('the first to go on', () => frozen.idle);
  await letPass(world, 10_000);
  const id = (await world.service('orders'))?.status?.id ?? '';
  expect(await storedIn(world, 'orders-db')).toBe(passwordOf(world, id));
});

test('an answer to a recreation does not take the place of the first service, which was seen again meanwhile', async () => {
  await using world = await startWorld({ start: false });
  const reply = heldReply(({ method, path }) => {
    return method === 'POST' && path.endsWith('/services') && callsOf(world, 'createService') === 1;
  });
  const frozen = await world.startedOperator({ intercept: reply.intercept });
  const first = await readyService(world, { name: 'orders' });
  world.project.faults.add({ kind: 'truncatedList', operation: 'listServices', drop: 1 });
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'getService',
    status: 404,
    body: { message: 'no such service' },
  });
  await world.untilReason('service', 'orders', 'Lost');
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'managed-db.io/allow-recreate': first } },
  });
  await reply.answered;
  world.project.faults.clear();
  await world.startedOperator();
  await world.untilReason('service', 'orders', 'AmbiguousCreate');
  const another = world.project.everCreated.at(-1)?.id;
  await world.patch('service', 'orders', {
    metadata: { annotations: { 'managed-db.io/create-anyway': another } },
  });
  await world.untilReady('service', 'orders');
  reply.release();
  await until('the first to go on', () => frozen.idle);
  await letPass(world, 10_000);
  expect(await recordOf(world, await world.service('orders'))).toMatchObject({ id: first });
  expect(await storedIn(world, 'orders-db')).toBe(passwordOf(world, first));
  expect(world.log.filter((line) => line.includes('could not be recorded'))).toEqual([
    expect.stringContaining(`${another}`),
  ]);
});
