import { expect, test } from 'vitest';
import { callsOf } from '../../support/cloud-calls.ts';
import { letPass } from '../../support/let-pass.ts';
import { service } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { readyService } from '../../support/ready-service.ts';
import { refusing, type AskedWrite } from '../../support/refusing.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** Webhooks and policies say no to Secrets: it is told, nothing is lost by it, and it goes on when it ends. (docs/safety.md, Passwords) */

const isPlural = (write: AskedWrite) => /\/secrets(?:\/|$)/u.test(write.path);
const passwordOf = (world: World, id: string) => world.project.stores.service.get(id)?.password;
const storedIn = async (world: World, name: string) => (await world.secret(name))?.['password'];

/** A world whose operator meets a webhook that can be told what to refuse, and whose writes of Secrets are seen. */
async function webhookWorld(options: Parameters<typeof startWorld>[0] = {}) {
  const world = await startWorld({ ...options, start: false });
  const webhook: { refuses: (write: AskedWrite) => boolean; code: number } = { refuses: () => false, code: 403 };
  const writes: AskedWrite[] = [];
  const intercept = refusing((write) => {
    if (!isPlural(write)) return undefined;
    writes.push(write);
    return webhook.refuses(write)
      ? { code: webhook.code, message: 'admission webhook "guard" denied the request: not this one' }
      : undefined;
  });
  await world.startedOperator({ intercept });
  return { world, webhook, writes };
}

test.each([400, 403, 413, 422])('a dry run that a webhook answers with %i stops the password, and is shown', async (code) => {
  const { world, webhook, writes } = await webhookWorld();
  await using _ = world;
  const id = await readyService(world);
  const before = passwordOf(world, id);
  webhook.code = code;
  webhook.refuses = ({ dryRun }) => dryRun;
  await world.apply(service('orders', { password: { rotation: 'one' } }));
  const message = await world.untilReason('service', 'orders', 'SecretConflict');
  expect(message).toContain('not this one');
  const asked = writes.length;
  await letPass(world, 30_000);
  expect([callsOf(world, 'updateServicePassword'), passwordOf(world, id), await storedIn(world, 'orders-db')]).toEqual([0, before, before]);
  expect(writes.length - asked).toBeLessThan(3);
  webhook.refuses = () => false;
  await world.untilReady('service', 'orders');
  expect(passwordOf(world, id)).not.toBe(before);
  expect(await storedIn(world, 'orders-db')).toBe(passwordOf(world, id));
});

test.each([400, 403, 413, 422])('a connection Secret that is refused with %i is shown, and stored when the refusal ends', async (code) => {
  const { world, webhook, writes } = await webhookWorld();
  await using _ = world;
  webhook.code = code;
  webhook.refuses = () => true;
  await world.apply(service('orders'));
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain('not this one');
  const asked = writes.length;
  await letPass(world, 30_000);
  expect(writes.length - asked).toBeLessThan(3);
  expect([world.project.everCreated.length, callsOf(world, 'updateServicePassword')]).toEqual([1, 0]);
  webhook.refuses = () => false;
  await world.untilReady('service', 'orders');
  const id = (await world.service('orders'))?.status?.id ?? '';
  expect(await storedIn(world, 'orders-db')).toBe(passwordOf(world, id));
});

test('a service under a chosen name is recorded although its Secret is refused: nobody is asked whose it is', async () => {
  const { world, webhook } = await webhookWorld();
  await using _ = world;
  webhook.refuses = () => true;
  await world.apply(service('orders', { name: 'orders' }));
  await world.untilReason('service', 'orders', 'SecretConflict');
  expect(recordOf(await world.service('orders'))).toMatchObject({ id: world.project.everCreated[0]?.id });
  expect(world.log.filter((line) => line.includes('AmbiguousCreate') || line.includes('ResolvingCreate'))).toEqual([]);
  webhook.refuses = () => false;
  await world.untilReady('service', 'orders');
  const [created, ...others] = world.project.everCreated;
  expect([others, await storedIn(world, 'orders-db')]).toEqual([[], passwordOf(world, created?.id ?? '')]);
});

test('a password that the cloud set is kept until the connection Secret has it, although a second send would be refused', async () => {
  const { world, webhook } = await webhookWorld();
  await using _ = world;
  const id = await readyService(world);
  const before = passwordOf(world, id);
  webhook.refuses = ({ method, path, dryRun }) => method === 'PUT' && path.endsWith('/orders-db') && !dryRun;
  await world.apply(service('orders', { password: { rotation: 'one' } }));
  await until('the cloud to have it', () => passwordOf(world, id) !== before);
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain('not this one');
  world.project.faults.add({ kind: 'errorBefore', operation: 'updateServicePassword', status: 422, body: { message: 'same as before' } });
  await letPass(world, 120_000);
  expect([await storedIn(world, 'orders-db-pending'), callsOf(world, 'updateServicePassword')]).toEqual([passwordOf(world, id), 1]);
  webhook.refuses = () => false;
  await world.untilReady('service', 'orders');
  expect([await storedIn(world, 'orders-db'), callsOf(world, 'updateServicePassword')]).toEqual([passwordOf(world, id), 1]);
  expect(await world.secret('orders-db-pending')).toBeUndefined();
});

test('a password that another process set survives the refusal of its second send and of its successor', async () => {
  const { world, webhook } = await webhookWorld({ speed: 600 });
  await using _ = world;
  const id = await readyService(world);
  const before = passwordOf(world, id);
  webhook.refuses = ({ method, path, dryRun }) => method === 'PUT' && path.endsWith('/orders-db') && !dryRun;
  await world.apply(service('orders', { password: { rotation: 'one' } }));
  await until('the cloud to have it', () => passwordOf(world, id) !== before);
  await world.untilReason('service', 'orders', 'SecretConflict');
  await world.stopOperators();
  world.project.faults.add({ kind: 'errorBefore', operation: 'updateServicePassword', status: 422, body: { message: 'same as before' } });
  await world.startedOperator();
  await world.untilReason('service', 'orders', 'Rejected');
  const taken = passwordOf(world, id);
  const calls = callsOf(world, 'updateServicePassword');
  await world.apply(service('orders', { password: { rotation: 'two' } }));
  await until('another to be tried', () => callsOf(world, 'updateServicePassword') > calls);
  expect(passwordOf(world, id)).toBe(taken);
  await letPass(world, 60_000);
  expect(await storedIn(world, 'orders-db-pending')).toBe(passwordOf(world, id));
  world.project.faults.clear();
  await world.applyUntilReady(service('orders', { password: { rotation: 'three' } }));
  await until('the end of it', async () => (await world.secret('orders-db-pending')) === undefined);
  expect(await storedIn(world, 'orders-db')).toBe(passwordOf(world, id));
});
