import { expect, test } from 'vitest';
import { cloudResourceFinalizer } from '../../../src/resources/annotations.ts';
import { commitsOf } from '../../support/cloud-calls.ts';
import { heldReply } from '../../support/held-reply.ts';
import { letPass } from '../../support/let-pass.ts';
import { replicaSet, secret, service } from '../../support/manifests.ts';
import { cloudPassword } from '../../support/passwords-of.ts';
import { readyService } from '../../support/ready-service.ts';
import { sharedProject } from '../../support/shared-project.ts';
import { until } from '../../support/until.ts';
import { whileStopped } from '../../support/while-stopped.ts';
import { startWorld, type World } from '../../support/world.ts';

/**
 * The operator ignores an object that it has released, even if the finalizer of another client holds it and
 * other clients write to it. (docs/safety.md, Deleting)
 */

const patch = (
  world: World,
  type: 'json' | 'merge',
  body: unknown,
  kind = 'managedservice',
  name = 'orders',
) => world.kubectl(['patch', kind, name, `--type=${type}`, '-p', JSON.stringify(body)]);

/** Deletes an object that a hook of another client holds, too. */
async function removeHeld(world: World, kind = 'managedservice', name = 'orders'): Promise<void> {
  await patch(
    world,
    'json',
    [{ op: 'add', path: '/metadata/finalizers/-', value: 'example.com/hook' }],
    kind,
    name,
  );
  await world.kubectl(['delete', kind, name, '--wait=false']);
}

const isLetGo = async (world: World) =>
  (await world.service('orders'))?.metadata.finalizers?.includes(cloudResourceFinalizer) === false;
const words = async (world: World) =>
  ((await world.service('orders'))?.status?.conditions ?? []).map(({ message }) => message);
const endOf = (end: string) => `${end}; the finalizer example.com/hook holds the object`;
const abandoned = (world: World) =>
  world.log.filter((line) => line.includes('is gone without its deletion'));

async function release(world: World): Promise<void> {
  await patch(world, 'merge', { metadata: { finalizers: null } });
  await world.untilGone('service', 'orders');
}

test.concurrent.each([
  ['while the operator works', (_: World, edit: () => Promise<unknown>) => edit()],
  ['while no operator works', whileStopped],
])(
  'a service that was kept with Retain is not deleted when the spec of its held object is edited %s',
  async (_, edit) => {
    await using world = await startWorld(sharedProject);
    const id = await readyService(world, { deletionPolicy: 'Retain' });
    const before = await world.secret('orders-db');
    await removeHeld(world);
    await until('the finalizer to go', () => isLetGo(world));
    await edit(world, () =>
      patch(world, 'merge', { spec: { deletionPolicy: 'Delete', deletionProtection: false } }),
    );
    await letPass(world, 30_000);
    expect([commitsOf(world, 'deleteService'), await world.secret('orders-db')]).toEqual([
      0,
      before,
    ]);
    // Nothing claims the kept service any more.
    await world.applyUntilReady(
      service(
        'again',
        { connectionSecret: { name: 'again' } },
        { 'managed-db.io/external-id': id },
      ),
    );
    await release(world);
  },
);

test.concurrent('a service that was deleted leaves a held object alone, and lets its API key and what refers to it go', async () => {
  await using world = await startWorld();
  await world.apply(secret('cloud', { apiKey: world.project.apiKey }));
  await readyService(world, { credentialsRef: { name: 'cloud' } });
  await removeHeld(world);
  await until('the finalizer to go', () => isLetGo(world));
  await until('the last words', async () =>
    (await words(world)).every(
      (message) => message === endOf('the service is gone from the cloud'),
    ),
  );
  expect(await world.kubectl(['delete', 'secret', 'cloud', '--timeout=20s'])).toMatchObject({
    code: 0,
  });
  const written = (await world.service('orders'))?.metadata.resourceVersion;
  await world.apply(replicaSet('reads', 'orders'));
  await world.untilReason('replicaSet', 'reads', 'WaitingForReference');
  await letPass(world, 30_000);
  expect([
    commitsOf(world, 'deleteService'),
    (await world.service('orders'))?.metadata.resourceVersion,
  ]).toEqual([1, written]);
  await release(world);
  expect(abandoned(world)).toEqual([]);
});

test.concurrent('a held object whose finalizer a user takes off while it waits for its deletion is told as abandoned, and its service stays', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await world.apply(service('orders', { suspend: true }));
  await world.untilReason('service', 'orders', 'Suspended');
  await removeHeld(world);
  await patch(world, 'merge', { metadata: { finalizers: ['example.com/hook'] } });
  expect(await world.untilEvent('orders', 'Abandoned')).toContain(id);
  await patch(world, 'merge', { spec: { suspend: false } });
  await letPass(world, 30_000);
  expect([commitsOf(world, 'deleteService'), abandoned(world)]).toMatchObject([0, { length: 1 }]);
  await release(world);
  expect(abandoned(world)).toHaveLength(1);
});

test.concurrent('the finalizer of a held object that the operator took off itself is not reported as abandoned by the next process', async () => {
  await using world = await startWorld(sharedProject);
  await readyService(world, { deletionPolicy: 'Retain' });
  await removeHeld(world);
  await until('the finalizer to go', () => isLetGo(world));
  await whileStopped(world, () => Promise.resolve());
  const written = (await world.service('orders'))?.metadata.resourceVersion;
  await letPass(world, 30_000);
  expect([
    commitsOf(world, 'deleteService'),
    (await world.service('orders'))?.metadata.resourceVersion,
  ]).toEqual([0, written]);
  await release(world);
  await readyService(world, {}, 'last');
  expect(abandoned(world)).toEqual([]);
});

test.concurrent('the answer to a create is in the ledger, with its password, when the finalizer was taken off meanwhile', async () => {
  await using world = await startWorld({ start: false });
  const reply = heldReply(({ method, path }) => method === 'POST' && path.endsWith('/services'));
  await world.startedOperator({ intercept: reply.intercept });
  await world.apply(service('orders'));
  await reply.answered;
  await removeHeld(world);
  // The way that docs/security.md describes.
  const text = '{"metadata":{"finalizers":["example.com/hook"]}}';
  await world.kubectl([
    'patch',
    'managedservice',
    'orders',
    '--field-manager=managed-db-operator',
    '--type=merge',
    '-p',
    text,
  ]);
  reply.release();
  const { id = '' } = world.project.everCreated[0] ?? {};
  await until(
    'the id in the ledger',
    async () => (await world.entry('orders'))?.content?.id === id,
  );
  expect((await world.entry('orders'))?.data).toEqual({ password: cloudPassword(world, id) });
});
