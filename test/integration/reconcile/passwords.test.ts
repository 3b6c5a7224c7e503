import { expect, test } from 'vitest';
import { heldReply } from '../../support/held-reply.ts';
import { letPass } from '../../support/let-pass.ts';
import { replicaSet, service } from '../../support/manifests.ts';
import { agreed } from '../../support/passwords-of.ts';
import { readyService } from '../../support/ready-service.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

const sets = (world: World) => world.project.commits.get('updateServicePassword') ?? 0;
const mine = (password: string, name = 'mine') => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  stringData: { password },
});
const given = { password: { secretRef: { name: 'mine' } } };

test.concurrent('a new rotation text sets a new password, once, and replica sets follow', async () => {
  await using world = await startWorld();
  const id = await readyService(world, { password: { rotation: 'january' } });
  await world.applyUntilReady(replicaSet('reads', 'orders'));
  const first = await agreed(world, id);
  expect(sets(world)).toBe(0);
  await world.apply(service('orders', { password: { rotation: 'february' } }));
  const second = await agreed(world, id, first);
  await world.untilReady('service', 'orders');
  await until(
    'the replica set to follow',
    async () => (await world.secret('reads-replicas-db'))?.['password'] === second,
  );
  expect(sets(world)).toBe(1);
});

/** Follows the service by its id: as the spec names it, or as an object that is not there any more did. */
const byId: readonly (readonly [
  how: string,
  arrange: (world: World, id: string) => Promise<string>,
])[] = [
  [
    'names its service by its id',
    async (world, id) => {
      await world.apply(replicaSet('reads', '', { serviceRef: undefined, serviceId: id }));
      return 'orders';
    },
  ],
  [
    'was made on a service whose object has another name now',
    async (world, id) => {
      await world.applyUntilReady(replicaSet('reads', 'orders'));
      await world.remove('service', 'orders');
      await world.applyUntilReady(
        service('renamed', { deletionPolicy: 'Retain' }, { 'managed-db.io/external-id': id }),
      );
      return 'renamed';
    },
  ],
];

test.concurrent.each(byId)(
  'a replica set that %s follows a new password at once, not when it is looked at again',
  async (_, arrange) => {
    await using world = await startWorld(sharedProject);
    const id = await readyService(world, { deletionPolicy: 'Retain' });
    const name = await arrange(world, id);
    await world.untilReady('replicaSet', 'reads');
    await letPass(world, 90_000);
    world.clock.runAt(2); // half a minute of waiting is a minute for the operator: too short for its own resync
    const annotations = name === 'orders' ? {} : { 'managed-db.io/external-id': id };
    await world.apply(
      service(name, { deletionPolicy: 'Retain', password: { rotation: 'now' } }, annotations),
    );
    await until('the new password', () => sets(world) === 1);
    const password = world.project.stores.service.get(id)?.password;
    await until(
      'the replica set to follow',
      async () => (await world.secret('reads-replicas-db'))?.['password'] === password,
    );
    expect(sets(world)).toBe(1);
  },
);

test.concurrent('a rotation text that is added after the creation rotates; when it is removed, the password stays', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const first = await agreed(world, id);
  await world.apply(service('orders', { password: { rotation: 'now' } }));
  const second = await agreed(world, id, first);
  await world.apply({ ...service('orders'), spec: { cpuMillis: 1000, memoryGbs: 4 } });
  await until(
    'the new generation',
    async () => (await world.service('orders'))?.status?.observedGeneration === 3,
  );
  await world.untilReady('service', 'orders');
  expect(await agreed(world, id)).toBe(second);
  expect(sets(world)).toBe(1);
});

test.concurrent("the password of the user's Secret is set, and set again when the Secret changes", async () => {
  await using world = await startWorld({ speed: 10, latencyMs: 500 });
  await world.apply(mine('hunter2-one'));
  const id = await readyService(world, given);
  expect(await agreed(world, id)).toBe('hunter2-one');
  await world.apply(mine('hunter2-two'));
  expect(await agreed(world, id, 'hunter2-one')).toBe('hunter2-two');
  await world.untilReady('service', 'orders');
  expect(sets(world)).toBe(2);
  expect(world.log.join('')).not.toContain('hunter2');
});

test.concurrent("a user's Secret that is missing, or lacks the key, is shown, and the next apply ends it", async () => {
  await using world = await startWorld();
  await world.apply(service('orders', given));
  expect(await world.untilReason('service', 'orders', 'WaitingForReference')).toContain(
    'spec.password.secretRef "mine" not found',
  );
  await world.apply({ ...mine(''), stringData: { other: 'x' } });
  await until('the words about the key', async () =>
    (await world.untilReason('service', 'orders', 'WaitingForReference')).includes(
      'has no key password',
    ),
  );
  await world.apply(mine('hunter2-one'));
  await world.untilReady('service', 'orders');
  expect((await world.secret('orders-db'))?.['password']).toBe('hunter2-one');
});

test.concurrent('a refused password is reported without its value, and the old password stays valid', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  const first = await agreed(world, id);
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'updateServicePassword',
    status: 422,
    body: { message: 'hunter2-weak is too weak' },
  });
  await world.apply(mine('hunter2-weak'), service('orders', given));
  const message = await world.untilReason('service', 'orders', 'Rejected');
  expect(message).toContain('the cloud refused to set the password of the service');
  expect(message).not.toContain('hunter2');
  expect(await agreed(world, id)).toBe(first);
  expect((await world.entry('orders'))?.data).toEqual({ password: first });
  const calls = world.project.calls.get('updateServicePassword');
  world.project.faults.clear();
  await world.apply(mine('hunter2-strong'));
  expect(await agreed(world, id, first)).toBe('hunter2-strong');
  expect(world.project.calls.get('updateServicePassword')).toBe((calls ?? 0) + 1);
});

test.concurrent('an unanswered call is repeated with the same password; a different password waits until the first call can no longer arrive', async () => {
  // The two minutes for which the first call holds the second have to be longer than an edit takes on a busy machine.
  await using world = await startWorld({ speed: 15 });
  const id = await readyService(world);
  const first = await agreed(world, id);
  world.project.faults.add({ kind: 'replyLost', operation: 'updateServicePassword', times: 1 });
  await world.apply(service('orders', { password: { rotation: 'one' } }));
  const second = await agreed(world, id, first);
  expect(world.project.calls.get('updateServicePassword')).toBe(2);
  const answeredAt = world.clock.now();
  await world.apply(service('orders', { password: { rotation: 'two' } }));
  expect(await world.untilReason('service', 'orders', 'RotatingPassword')).toContain(
    'not answered',
  );
  await agreed(world, id, second);
  expect(world.clock.now() - answeredAt).toBeGreaterThan(100_000);
});

test.concurrent('a new password is in the ledger before the cloud has it', async () => {
  await using world = await startWorld({ start: false });
  const held = heldReply(({ path }) => path.endsWith('/updatePassword'));
  await world.startedOperator({ intercept: held.intercept });
  const id = await readyService(world, { password: { rotation: 'one' } });
  const before = await agreed(world, id);
  await world.apply(service('orders', { password: { rotation: 'two' } }));
  await held.answered;
  const inCloud = world.project.stores.service.get(id)?.password;
  expect([inCloud === before, (await world.entry('orders'))?.data['nextPassword']]).toEqual([
    false,
    inCloud,
  ]);
  held.release();
  await agreed(world, id, before);
});
