import { expect, test } from 'vitest';
import { z } from 'zod';
import { commitsOf } from '../../support/cloud-calls.ts';
import { heldReply } from '../../support/held-reply.ts';
import { replicaSet, service } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { readyService } from '../../support/ready-service.ts';
import { replace } from '../../support/replace.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import { whileStopped } from '../../support/while-stopped.ts';
import { startWorld, type World } from '../../support/world.ts';

/** A password moves with its connection, and a Secret that has it is not replaced by one without. (docs/safety.md, Passwords) */

const passwordOf = (world: World, id: string) => world.project.stores.service.get(id)?.password;
const storedIn = async (world: World, name: string) => (await world.secret(name))?.['password'];
const rename = (world: World, name: string | null) =>
  world.kubectl([
    'patch',
    'managedservice',
    'orders',
    '--type=merge',
    '-p',
    JSON.stringify({ spec: { connectionSecret: name === null ? null : { name } } }),
  ]);

/** Moves the connection to another Secret, and waits for the end. */
async function moved(world: World, from: string, to: string): Promise<void> {
  await rename(world, to);
  await until('the move', async () => {
    const { secretName, previousSecretName, nextSecretName } = recordOf(await world.service('orders'));
    return secretName === to && previousSecretName === undefined && nextSecretName === undefined;
  });
  expect(await world.secret(from)).toBeUndefined();
  await world.untilReady('service', 'orders');
}

/** The object as `kubectl get -o json` gives it, for `kubectl replace`. */
async function exported(world: World) {
  const { stdout } = await world.kubectl(['get', 'managedservice', 'orders', '-o', 'json']);
  const { metadata, ...whole } = z.looseObject({ metadata: z.looseObject({}) }).parse(JSON.parse(stdout));
  const { annotations, finalizers } = metadata;
  return { ...whole, metadata: { name: 'orders', annotations, finalizers } };
}

/** A service that was kept, with the only copy of its password in the Secret orders-db. */
async function keptService(world: World): Promise<{ readonly id: string; readonly password: string | undefined }> {
  const id = await readyService(world, { deletionPolicy: 'Retain' });
  await world.kubectl(['delete', 'managedservice', 'orders', '--timeout=20s']);
  return { id, password: passwordOf(world, id) };
}

test.each(['while the operator runs', 'while it is stopped'])(
  'an older export of an object, put back %s, finds the connection where it moved since, with its password',
  async (when) => {
    await using world = await startWorld();
    const id = await readyService(world);
    const password = passwordOf(world, id);
    const before = await exported(world);
    await moved(world, 'orders-db', 'elsewhere');
    const putBack = () => replace(world, before);
    if (when === 'while it is stopped') await whileStopped(world, putBack);
    else await putBack();
    await until('the connection to be back', async () => {
      const isMoved = (await world.secret('orders-db')) !== undefined && (await world.secret('elsewhere')) === undefined;
      return isMoved && recordOf(await world.service('orders')).previousSecretName === undefined;
    });
    await world.untilReady('service', 'orders');
    expect([await storedIn(world, 'orders-db'), passwordOf(world, id)]).toEqual([password, password]);
    expect(commitsOf(world, 'updateServicePassword')).toBe(0);
  },
);

test('an adopted service keeps the password that somebody wrote for it, when the export of its object from before a move is put back', async () => {
  await using world = await startWorld(sharedProject);
  const { id, password } = await keptService(world);
  await world.applyUntilReady(service('orders', {}, { 'managed-db.io/external-id': id }));
  const before = await exported(world);
  await moved(world, 'orders-db', 'elsewhere');
  await replace(world, before);
  await until('the connection to be back', async () => (await world.secret('elsewhere')) === undefined);
  await world.untilReady('service', 'orders');
  expect([await storedIn(world, 'orders-db'), passwordOf(world, id)]).toEqual([password, password]);
});

test('the only password of a kept service stays when the connection of the object that took it over moves onto its Secret', async () => {
  await using world = await startWorld(sharedProject);
  const { id, password } = await keptService(world);
  await world.applyUntilReady(service('orders', { connectionSecret: { name: 'new' } }, { 'managed-db.io/external-id': id }));
  expect(await storedIn(world, 'new')).toBeUndefined();
  await rename(world, null);
  await until('the move', async () => (await world.secret('new')) === undefined);
  await world.untilReady('service', 'orders');
  expect([await storedIn(world, 'orders-db'), passwordOf(world, id)]).toEqual([password, password]);
});

test('a process that was frozen in a move leaves the Secret that another one has completed since as it is', async () => {
  await using world = await startWorld({ start: false });
  const reply = heldReply(({ path, body }) => {
    return path.includes('managedservices/orders') && typeof body === 'string' && body.includes('nextSecretName');
  });
  const frozen = await world.startedOperator({ intercept: reply.intercept });
  const id = await readyService(world);
  const password = passwordOf(world, id);
  await rename(world, 'elsewhere');
  await reply.answered;
  await world.startedOperator();
  await until(
    'the move',
    async () => (await storedIn(world, 'elsewhere')) !== undefined && (await world.secret('orders-db')) === undefined,
  );
  await world.untilReady('service', 'orders');
  reply.release();
  await until('the first one to go on', () => frozen.idle);
  expect([await storedIn(world, 'elsewhere'), passwordOf(world, id)]).toEqual([password, password]);
  expect(commitsOf(world, 'updateServicePassword')).toBe(0);
});

test('a replica set takes no password from the Secret of another service that was put in the place of its own service’s', async () => {
  await using world = await startWorld();
  await keptService(world);
  const { stdout } = await world.kubectl(['get', 'secret', 'orders-db', '-o', 'json']);
  await world.kubectl(['delete', 'secret', 'orders-db']);
  const id = await readyService(world);
  await world.applyUntilReady(replicaSet('reads', 'orders'));
  expect(await storedIn(world, 'reads-replicas-db')).toBe(passwordOf(world, id));
  await whileStopped(world, async () => {
    await world.kubectl(['patch', 'secret', 'orders-db', '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
    await world.kubectl(['delete', 'secret', 'orders-db']);
    await world.kubectl(['create', '-f', '-'], stdout.replaceAll(/"(?:resourceVersion|uid)": "[^"]*",?/gu, ''));
  });
  await world.untilReason('service', 'orders', 'RecordConflict');
  await world.apply(replicaSet('reads', 'orders', { connectionSecret: { labels: { app: 'reads' } } }));
  await until(
    'the Secret to be written',
    async () => (await world.kubectl(['get', 'secrets', '-l', 'app=reads', '-o', 'name'])).stdout !== '',
  );
  expect(await storedIn(world, 'reads-replicas-db')).toBe(passwordOf(world, id));
});
