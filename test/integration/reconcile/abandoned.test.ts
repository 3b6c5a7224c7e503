import { expect, test } from 'vitest';
import { service } from '../../support/manifests.ts';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** The operator logs each released or hand-removed object with its resource id. */

const lines = (world: World, words: string) => world.log.filter((line) => line.includes(words));

async function removeFinalizer(world: World, name: string): Promise<void> {
  await world.delete('service', name);
  await world.kubectl([
    'patch',
    'managedservice',
    name,
    '--type=merge',
    '-p',
    '{"metadata":{"finalizers":null}}',
  ]);
  await world.untilGone('service', name);
}

test('an object whose finalizer a user removes is reported in a warning and an event, with its resource in the cloud', async () => {
  await using world = await startWorld();
  const id = await readyService(world, { deletionProtection: false });
  world.project.faults.add({ kind: 'errorBefore', operation: 'deleteService', status: 503 });
  await removeFinalizer(world, 'orders');
  const message = await world.untilEvent('orders', 'Abandoned');
  expect(message).toContain(`${id} in project ${world.project.id} may still cost money`);
  const [warning = ''] = lines(world, 'is gone without its deletion');
  expect(JSON.parse(warning)).toMatchObject({ level: 'warn', id, projectId: world.project.id });
});

test('a released, retained or otherwise owned resource is not reported as abandoned', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  await world.remove('service', 'orders');
  await until('a line', () =>
    lines(world, 'is gone from the cloud').some((line) => line.includes(id)),
  );
  await readyService(world, { deletionPolicy: 'Retain' }, 'kept');
  await world.apply(service('never', { credentialsRef: { name: 'missing' } }));
  await world.untilReason('service', 'never', 'WaitingForCredentials');
  await removeFinalizer(world, 'never');
  // The operator may release the object before the test removes the finalizer.
  await removeFinalizer(world, 'kept');
  await readyService(world, {}, 'last');
  expect(lines(world, 'is gone without its deletion')).toEqual([]);
});
