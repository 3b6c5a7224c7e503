import { expect, test } from 'vitest';
import { callsOf } from '../../support/cloud-calls.ts';
import { changeEntries } from '../../support/ledger.ts';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { startWorld } from '../../support/world.ts';

/** Two living objects have one resource only after somebody changed the ledger. (docs/safety.md, Ownership) */

test('two objects with one service tell that a deletion has no effect, and if both are deleted at once, the service stays', async () => {
  await using world = await startWorld({ settings: { workers: 1 } });
  const id = await readyService(world);
  await readyService(world, {}, 'other');
  await changeEntries(world, [await world.service('other')], { id });
  for (const name of ['orders', 'other'])
    await until('both to be told', async () =>
      (await world.service(name))?.status?.conditions?.find(({ reason }) => reason === 'NotBound'),
    );
  await world.kubectl(['delete', '--wait=false', 'managedservice', 'orders', 'other']);
  for (const name of ['orders', 'other']) await world.untilGone('service', name);
  expect(callsOf(world, 'deleteService')).toBe(0);
  expect(world.project.everCreated.find((each) => each.id === id)?.deletedAt).toBeUndefined();
});
