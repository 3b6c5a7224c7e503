import { expect, test } from 'vitest';
import { service } from '../../support/manifests.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { readyService } from '../../support/ready-service.ts';
import { startWorld } from '../../support/world.ts';

/** A part that a reply lacks is as it was. test/unit/reconcile/missing-parts.test.ts has the table. (docs/safety.md, Deleting) */

test('a reply that lacks tags, replicas and size removes no protection and changes nothing', async () => {
  await using world = await startWorld();
  const spec = { highAvailability: { replicaCount: 1, syncReplicaCount: 1 } };
  const id = await readyService(world, spec);
  await world.createInCloud(`services/${id}/setEnvironment`, { environment: 'PROD' });
  await world.sync('service', 'orders');
  expect((await world.service('orders'))?.status?.onDelete).toBe('Protected');
  const changes = () => [callsOf(world, 'setServiceHighAvailability'), callsOf(world, 'resizeService')];
  const before = changes();
  const empty = { metadata: {}, ha_replicas: {}, resources: [{ id: '1', spec: {} }] };
  world.project.services.get(id)?.timeline.plan(world.clock.now(), [{ afterMs: 0, change: (seen) => ({ ...seen, ...empty }) }]);
  await world.sync('service', 'orders');
  expect((await world.service('orders'))?.status).toMatchObject({ onDelete: 'Protected', size: '1000m/4GB' });
  await world.apply(service('orders', { ...spec, connectionSecret: { labels: { team: 'shop' } } }));
  await world.untilReady('service', 'orders');
  expect((await world.kubectl(['delete', '--wait=false', 'msvc/orders'])).stderr).toContain('because its environment is PROD');
  expect(changes()).toEqual(before);
});
