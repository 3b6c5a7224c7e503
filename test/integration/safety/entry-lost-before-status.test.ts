import { expect, test } from 'vitest';
import { dropEntry } from '../../support/ledger.ts';
import { defaultOptions } from '../../support/default-options.ts';
import { letPass } from '../../support/let-pass.ts';
import { service } from '../../support/manifests.ts';
import { refusing } from '../../support/refusing.ts';
import { until } from '../../support/until.ts';
import { whileStopped } from '../../support/while-stopped.ts';
import { startWorld, type World } from '../../support/world.ts';

/**
 * Another client removes the ledger entry by force after it got the id of the new service, and before the status
 * gets it. (docs/safety.md, What an object knows)
 */

/** A world whose service is created. Its status has no id, and its entry was removed. */
async function withoutEntry(world: World) {
  const webhook = { isDown: true };
  const intercept = refusing(({ path }) =>
    webhook.isDown && path.endsWith('/status')
      ? { code: 500, message: 'the webhook is down' }
      : undefined,
  );
  await world.startedOperator({ intercept });
  await world.apply(service('orders'));
  const recorded = async () => (await world.entry('orders'))?.content?.id;
  await until('the entry to have the id', async () => (await recorded()) !== undefined);
  const id = (await recorded()) ?? 'none';
  await dropEntry(world, 'orders');
  expect((await world.service('orders'))?.status?.id).toBeUndefined();
  return { id, mend: () => void (webhook.isDown = false) };
}

test.concurrent('an object whose entry was removed before its status had the id says NotBound with that id, also after a restart, and creates no other service', async () => {
  await using world = await startWorld({ start: false });
  const { id, mend } = await withoutEntry(world);
  mend();
  expect(await world.untilReason('service', 'orders', 'NotBound')).toContain(
    `managed-db.io/external-id=${id} to adopt`,
  );
  expect((await world.service('orders'))?.status).toMatchObject({
    id,
    projectId: world.project.id,
  });
  await world.kubectl(['annotate', 'managedservice', 'orders', 'managed-db.io/ledger-']);
  await letPass(world, 30_000);
  await whileStopped(world, () => Promise.resolve());
  await world.sync('service', 'orders');
  expect(await world.untilReason('service', 'orders', 'NotBound')).toContain(id);
  expect(world.project.everCreated.length).toBe(1);
});

test.concurrent('an object whose entry was removed before its status had the id, and which then disappears, is reported with that id', async () => {
  await using world = await startWorld({ start: false });
  const { id } = await withoutEntry(world);
  const patch = '{"metadata":{"finalizers":null}}';
  await world.kubectl(['patch', 'managedservice', 'orders', '--type=merge', '-p', patch]);
  await world.kubectl(['delete', 'managedservice', 'orders', '--wait=false']);
  await world.untilGone('service', 'orders');
  expect(await world.untilEvent('orders', 'Abandoned')).toContain(
    `${id} in project ${world.project.id}`,
  );
});

/** A world whose operator sent a create, got no answer, and lost the entry with the open create. */
async function withoutOpenCreate() {
  const world = await startWorld({
    settings: { options: { ...defaultOptions, sharedProjectAdoption: true } },
  });
  world.project.faults.add({ kind: 'errorBefore', operation: 'listServices', status: 503 });
  world.project.faults.add({ kind: 'replyLost', operation: 'createService', times: 1 });
  await world.apply(service('orders'));
  await until('the create', () => world.project.everCreated.length === 1);
  const { id = 'none' } = world.project.everCreated[0] ?? {};
  const attempt = async () => (await world.entry('orders'))?.content?.attempt;
  await until('the attempt', async () => (await attempt()) !== undefined);
  const name = (await attempt())?.request['name'];
  await dropEntry(world, 'orders');
  return { world, id, create: `the create of "${String(name)}" in project ${world.project.id}` };
}

test.concurrent('an object whose entry was removed while its create had no answer names that create, creates no other service, and adopts the service', async () => {
  const { world, id, create } = await withoutOpenCreate();
  await using _ = world;
  expect(await world.untilReason('service', 'orders', 'NotBound')).toContain(
    `${create} has no answer: look in the cloud`,
  );
  await world.kubectl(['annotate', 'managedservice', 'orders', 'managed-db.io/ledger-']);
  world.project.faults.clear();
  await letPass(world, 30_000);
  expect(await world.untilReason('service', 'orders', 'NotBound')).toContain(create);
  await world.kubectl(['annotate', 'managedservice', 'orders', `managed-db.io/external-id=${id}`]);
  await world.untilReady('service', 'orders');
  expect(world.project.everCreated.length).toBe(1);
});

test.concurrent('an object whose entry was removed while its create had no answer is reported with that create after its deletion', async () => {
  const { world, create } = await withoutOpenCreate();
  await using _ = world;
  await world.untilReason('service', 'orders', 'NotBound');
  await world.kubectl(['delete', 'managedservice', 'orders', '--wait=false']);
  await world.untilGone('service', 'orders');
  expect(await world.untilEvent('orders', 'Abandoned')).toContain(
    `${create} has no answer: look for it in the cloud`,
  );
});
