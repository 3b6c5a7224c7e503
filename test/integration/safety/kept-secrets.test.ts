import { expect, test } from 'vitest';
import { operatorThatDies } from '../../crash/fence.ts';
import { readyOf } from '../../../src/resources/condition.ts';
import { secretShape } from '../../../src/resources/connection-secret.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { secret, service } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { whileStopped } from '../../support/while-stopped.ts';
import { startWorld, type World } from '../../support/world.ts';

/** What stays in the cloud when its object goes keeps its password here, also where the Secret was deleted and not yet made again. (docs/safety.md, Passwords) */

const passwordOf = (world: World, id: string) => world.project.stores.service.get(id)?.password;
const storedIn = async (world: World, name: string) => (await world.secret(name))?.['password'];
const remove = (world: World, what: string, name: string) => world.kubectl(['delete', what, name, '--wait=false']);

/** The finalizer of the operator would hold a Secret for ever that nobody looks after any more. */
const isFree = async (world: World, name: string) => {
  const { stdout } = await world.kubectl(['get', 'secret', name, '-o', 'jsonpath={.metadata.finalizers}{.metadata.deletionTimestamp}']);
  return stdout === '';
};

test.each([
  ['Retain', { deletionPolicy: 'Retain' }],
  ['Observe', { managementPolicy: 'Observe' }],
])('a service that stays by %s keeps its password when Secret and object were deleted while no operator ran', async (_, keeping) => {
  await using world = await startWorld();
  const labels = { app: 'orders' };
  const id = await readyService(world, { connectionSecret: { labels } });
  await world.apply(service('orders', { connectionSecret: { labels }, ...keeping }));
  await whileStopped(world, async () => {
    await remove(world, 'secret', 'orders-db');
    await remove(world, 'managedservice', 'orders');
  });
  await world.untilGone('service', 'orders');
  expect(await storedIn(world, 'orders-db')).toBe(passwordOf(world, id));
  expect([await isFree(world, 'orders-db'), await world.secret('orders-db-pending')]).toEqual([true, undefined]);
  const { stdout } = await world.kubectl(['get', 'secrets', '-l', 'app=orders', '-o', 'name']);
  expect(stdout).toContain('secret/orders-db');
});

test('a suspended service that is kept in the end keeps its password, though its Secret was deleted meanwhile', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await world.apply(service('orders', { deletionPolicy: 'Retain', suspend: true }));
  await world.untilReason('service', 'orders', 'Suspended');
  await remove(world, 'secret', 'orders-db');
  await remove(world, 'managedservice', 'orders');
  await world.kubectl(['patch', 'managedservice', 'orders', '--type=merge', '-p', '{"spec":{"suspend":false}}']);
  await world.untilGone('service', 'orders');
  expect(await storedIn(world, 'orders-db')).toBe(passwordOf(world, id));
});

test.each([
  ['before the old Secret is let go', 'PATCH secrets/orders-db #1'],
  ['before the Secret is there again', 'POST secrets/orders-db #1'],
  ['before the copy is removed', 'DELETE secrets/orders-db-pending #1'],
])('a crash %s loses no password of a service that stays', async (_, call) => {
  await using world = await startWorld();
  const id = await readyService(world, { deletionPolicy: 'Retain' });
  await world.stopOperators();
  await remove(world, 'secret', 'orders-db');
  await remove(world, 'managedservice', 'orders');
  const first = await operatorThatDies(world, { call, harm: 'beforeSent' });
  await first.died;
  await world.startedOperator();
  await world.untilGone('service', 'orders');
  expect([await storedIn(world, 'orders-db'), await world.secret('orders-db-pending')]).toEqual([passwordOf(world, id), undefined]);
});

test('a Secret of a service that stays is waited for while somebody else holds it in its deletion', async () => {
  await using world = await startWorld();
  const id = await readyService(world, { deletionPolicy: 'Retain' });
  const hold = '[{"op":"add","path":"/metadata/finalizers/-","value":"example.com/backup"}]';
  await world.kubectl(['patch', 'secret', 'orders-db', '--type=json', '-p', hold]);
  await whileStopped(world, async () => {
    await remove(world, 'secret', 'orders-db');
    await remove(world, 'managedservice', 'orders');
  });
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain('example.com/backup');
  const ours = '{"metadata":{"finalizers":["managed-db.io/connection"]}}';
  await world.kubectl(['patch', 'secret', 'orders-db', '--type=merge', '-p', ours]);
  await world.untilGone('service', 'orders');
  expect(await storedIn(world, 'orders-db')).toBe(passwordOf(world, id));
});

/** A service that is to stay, and whose next password the cloud has, without an answer. @param name of its connection Secret */
async function withPasswordOnItsWay(world: World, name: string): Promise<string> {
  const connectionSecret = { name };
  const id = await readyService(world, { connectionSecret });
  world.project.faults.add({ kind: 'replyLost', operation: 'updateServicePassword' });
  await world.apply(service('orders', { connectionSecret, deletionPolicy: 'Retain', password: { rotation: 'one' } }));
  await until('the password in the cloud', async () => (await storedIn(world, `${name}-pending`)) === passwordOf(world, id));
  return id;
}

test('a password on its way to a service that stays is kept, though its Secret was deleted', async () => {
  await using world = await startWorld();
  const id = await withPasswordOnItsWay(world, 'orders-db');
  await whileStopped(world, async () => {
    await remove(world, 'secret', 'orders-db-pending');
    await remove(world, 'managedservice', 'orders');
  });
  await world.untilGone('service', 'orders');
  expect(await storedIn(world, 'orders-db-pending-pending')).toBe(passwordOf(world, id));
  expect(await world.untilEvent('orders', 'RotatingPassword')).toContain('orders-db-pending-pending');
  expect([await isFree(world, 'orders-db'), await isFree(world, 'orders-db-pending-pending')]).toEqual([true, true]);
  expect(callsOf(world, 'deleteService')).toBe(0);
});

/** Takes a Secret away, whoever holds it. */
async function takeAway(world: World, name: string): Promise<void> {
  await world.kubectl(['patch', 'secret', name, '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
  await world.kubectl(['delete', 'secret', name, '--timeout=10s']);
}

const rename = (world: World, name: string) =>
  world.kubectl(['patch', 'managedservice', 'orders', '--type=merge', '-p', JSON.stringify({ spec: { connectionSecret: { name } } })]);

/** A service in the middle of a move from orders-db to elsewhere, and nobody who works on it: both Secrets have the password. */
async function amidMove(world: World, record: 'previousSecretName' | 'nextSecretName'): Promise<string> {
  const isOver = record === 'previousSecretName';
  const end = await operatorThatDies(world, {
    call: isOver ? 'DELETE secrets/orders-db #1' : 'POST secrets/elsewhere #1',
    harm: isOver ? 'beforeSent' : 'afterReply',
  });
  const id = await readyService(world, { deletionPolicy: 'Retain' });
  await rename(world, 'elsewhere');
  await end.died;
  expect(recordOf(await world.service('orders'))).toHaveProperty(record);
  return id;
}

test.each([
  ['old', 'previousSecretName', 'elsewhere', 'orders-db'],
  ['new', 'nextSecretName', 'orders-db', 'elsewhere'],
] as const)(
  'a service that stays keeps the password that only the %s Secret of a move has, though that was deleted',
  async (_, record, gone, left) => {
    await using world = await startWorld({ start: false });
    const id = await amidMove(world, record);
    await takeAway(world, gone);
    await remove(world, 'secret', left);
    await remove(world, 'managedservice', 'orders');
    await world.startedOperator();
    await world.untilGone('service', 'orders');
    expect([await storedIn(world, left), await isFree(world, left)]).toEqual([passwordOf(world, id), true]);
  },
);

test('the old Secret of a move that lost its label is free when its object has gone', async () => {
  await using world = await startWorld({ start: false });
  await amidMove(world, 'previousSecretName');
  await world.kubectl(['label', 'secret', 'orders-db', 'managed-db.io/connection-']);
  await remove(world, 'managedservice', 'orders');
  await world.startedOperator();
  await world.untilGone('service', 'orders');
  expect([await isFree(world, 'elsewhere'), await isFree(world, 'orders-db')]).toEqual([true, true]);
});

test('a Secret of a service that stays keeps its password, though it was let go and a backup tool alone holds it in its deletion', async () => {
  await using world = await startWorld();
  const id = await readyService(world, { deletionPolicy: 'Retain' });
  await whileStopped(world, async () => {
    await world.kubectl(['patch', 'secret', 'orders-db', '--type=merge', '-p', '{"metadata":{"finalizers":["example.com/backup"]}}']);
    await remove(world, 'secret', 'orders-db');
    await remove(world, 'managedservice', 'orders');
  });
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain('example.com/backup');
  await world.kubectl(['patch', 'secret', 'orders-db', '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
  await world.untilGone('service', 'orders');
  expect([await storedIn(world, 'orders-db'), await world.secret('orders-db-pending')]).toEqual([passwordOf(world, id), undefined]);
  expect(await isFree(world, 'orders-db')).toBe(true);
});

test('a deleted Secret of a service that stays is made again under the name that the advice asks for, where an API key has the place beside it', async () => {
  await using world = await startWorld();
  await world.apply(secret('orders-db-pending', { apiKey: world.project.apiKey }));
  await readyService(world, { credentialsRef: { name: 'orders-db-pending' } }, 'other');
  const id = await readyService(world, { deletionPolicy: 'Retain' });
  await whileStopped(world, async () => {
    await remove(world, 'secret', 'orders-db');
    await remove(world, 'managedservice', 'orders');
  });
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain('choose another spec.connectionSecret.name');
  await rename(world, 'elsewhere');
  await world.untilGone('service', 'orders');
  expect(await storedIn(world, 'orders-db')).toBe(passwordOf(world, id));
});

test('a password on its way to a service that stays has a place, however long the name of its Secret is, once the spec has a shorter one', async () => {
  await using world = await startWorld();
  const name = 'x'.repeat(243);
  const id = await withPasswordOnItsWay(world, name);
  await whileStopped(world, async () => {
    await remove(world, 'secret', `${name}-pending`);
    await remove(world, 'managedservice', 'orders');
  });
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain(`"${name}-pending-pending" is too long a name`);
  await rename(world, 'short');
  await world.untilGone('service', 'orders');
  expect(await storedIn(world, 'short-pending')).toBe(passwordOf(world, id));
});

test('a password on its way to a service that stays replaces no other one that waits in its place', async () => {
  await using world = await startWorld();
  const id = await withPasswordOnItsWay(world, 'orders-db');
  const { stdout } = await world.kubectl(['get', 'secret', 'orders-db-pending', '-o', 'json']);
  await whileStopped(world, async () => {
    const { metadata, ...content } = secretShape.parse(JSON.parse(stdout));
    const { labels, annotations } = metadata;
    const another = { ...content, data: { password: Buffer.from('another').toString('base64') } };
    const named = { metadata: { name: 'orders-db-pending-pending', labels, annotations } };
    await world.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'Secret', ...another, ...named }));
    await remove(world, 'secret', 'orders-db-pending');
    await remove(world, 'managedservice', 'orders');
  });
  await until('a word or the end', async () => {
    const object = await world.service('orders');
    return !object || readyOf(object)?.reason === 'SecretConflict';
  });
  expect(await storedIn(world, 'orders-db-pending-pending')).toBe('another');
  expect(await world.untilReason('service', 'orders', 'SecretConflict')).toContain('orders-db-pending-pending');
  await rename(world, 'elsewhere');
  await world.untilGone('service', 'orders');
  expect([await storedIn(world, 'elsewhere-pending'), await storedIn(world, 'orders-db-pending-pending')]).toEqual([
    passwordOf(world, id),
    'another',
  ]);
});

test('a service that stays without its connection Secret says under which key its password is, if another one was on its way', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  world.project.faults.add({ kind: 'errorBefore', operation: 'updateServicePassword', status: 503 });
  await world.apply(service('orders', { deletionPolicy: 'Retain', password: { rotation: 'one' } }));
  await until('another password', () => world.secret('orders-db-pending'));
  await world.stopOperators();
  await remove(world, 'secret', 'orders-db');
  await remove(world, 'managedservice', 'orders');
  const first = await operatorThatDies(world, { call: 'POST secrets/orders-db #1', harm: 'beforeSent' });
  await first.died;
  await world.startedOperator();
  await world.untilGone('service', 'orders');
  expect(await world.untilEvent('orders', 'RotatingPassword')).toContain(
    'if the one under its key earlier-password-<number> is not accepted',
  );
  expect((await world.secret('orders-db-pending'))?.['earlier-password-0']).toBe(passwordOf(world, id));
});

test.each([
  ['is there', false],
  ['was taken away by force', true],
])(
  'a namespace that is deleted takes a password on its way with it for which no name is short enough, where the Secret beside it %s',
  async (_, isAlone) => {
    await using world = await startWorld();
    const name = 'x'.repeat(243);
    const id = await withPasswordOnItsWay(world, name);
    await whileStopped(world, async () => {
      if (isAlone) await takeAway(world, name);
      await world.kubectl(['delete', 'namespace', world.namespace, '--wait=false']);
      await until('the Secret to be deleted', async () => !(await isFree(world, `${name}-pending`)));
    });
    await until('the namespace to go', async () => (await world.kubectl(['get', 'namespace', world.namespace])).code !== 0);
    expect(passwordOf(world, id)).toBeDefined();
  },
);

test('a namespace that is deleted takes the Secret of a service that stays with it, and waits for nothing', async () => {
  await using world = await startWorld();
  const id = await readyService(world, { deletionPolicy: 'Retain' });
  await whileStopped(world, async () => {
    await world.kubectl(['delete', 'namespace', world.namespace, '--wait=false']);
    await until('the Secret to be deleted', async () => !(await isFree(world, 'orders-db')));
  });
  await until('the namespace to go', async () => (await world.kubectl(['get', 'namespace', world.namespace])).code !== 0);
  expect(passwordOf(world, id)).toBeDefined();
});
