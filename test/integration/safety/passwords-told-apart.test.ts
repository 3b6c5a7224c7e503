import { expect, test } from 'vitest';
import { operatorThatDies } from '../../crash/fence.ts';
import { secret } from '../../support/manifests.ts';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** The same text is not the same password: it counts whose it is, and what the cloud heard since. (docs/safety.md, Passwords) */

const passwordOf = (world: World, id: string) => world.project.stores.service.get(id)?.password;
const storedIn = async (world: World, name: string) => (await world.secret(name))?.['password'];

test('a password that returns is sent again if the cloud may have set another one in between', async () => {
  await using world = await startWorld({ start: false, speed: 600 });
  const first = await operatorThatDies(world, { call: 'POST services/*/updatePassword #2', harm: 'afterReply' });
  await world.apply(secret('mine', { password: 'the-first-one' }));
  const id = await readyService(world, { password: { secretRef: { name: 'mine' } } });
  await world.apply(secret('mine', { password: 'the-second-one' }));
  await first.died;
  expect(passwordOf(world, id)).toBe('the-second-one');
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'updateServicePassword',
    status: 422,
    body: { message: 'has it already' },
    times: 1,
  });
  await world.startedOperator();
  await world.untilReason('service', 'orders', 'Rejected');
  await world.apply(secret('mine', { password: 'the-first-one' }));
  await until('the pending password to go', async () => (await world.secret('orders-db-pending')) === undefined);
  await world.untilReady('service', 'orders');
  expect([passwordOf(world, id), await storedIn(world, 'orders-db')]).toEqual(['the-first-one', 'the-first-one']);
});
