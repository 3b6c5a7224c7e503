import { expect, test } from 'vitest';
import { syncedOf } from '../../../src/resources/condition.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { force } from '../../../src/simulator/store.ts';
import { letPass } from '../../support/let-pass.ts';
import { fork as forkOf, service, vpc } from '../../support/manifests.ts';
import { recordOf } from '../../support/read-record.ts';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { startWorld } from '../../support/world.ts';

/** A dependent holds the resource that it needs, also while the cloud does not show the dependency. (docs/safety.md, Deleting) */

test('an unfinished fork that a list lacks holds its source', async () => {
  await using world = await startWorld({ latencyMs: 3_000 });
  await readyService(world);
  world.project.latencyMs = 600_000;
  await world.apply(forkOf('drill', 'orders'));
  const id = await until(
    'the fork',
    async () => (await recordOf(world, await world.service('drill'))).id,
  );
  force(world.project, { kind: 'service', id, status: 'CONFIGURING' });
  await until(
    'its origin',
    async () => (await world.service('drill'))?.status?.service?.forkedFrom?.serviceId,
  );
  await world.stopOperators();
  await world.startedOperator();
  world.project.faults.add({ kind: 'truncatedList', operation: 'listServices', drop: 1 });
  await letPass(world, 60_000);
  await world.delete('service', 'orders');
  await until('the deletion to be sent or held back', async () => {
    const { reason } = syncedOf((await world.service('orders')) ?? {}) ?? {};
    return callsOf(world, 'deleteService') > 0 || reason === 'Deleting';
  });
  expect(callsOf(world, 'deleteService')).toBe(0);
  await world.sync('service', 'orders');
  expect(callsOf(world, 'deleteService')).toBe(0);
  world.project.faults.clear();
  await until('the fork to hold it', async () =>
    (syncedOf((await world.service('orders')) ?? {})?.message ?? '').includes('1 unfinished fork'),
  );
});

test('a service that the cloud shows as attached, but not to which VPC, holds its VPC', async () => {
  await using world = await startWorld();
  await world.apply(vpc('prod'), service('orders', { vpcRef: { name: 'prod' } }));
  await world.untilReady('vpc', 'prod');
  await world.untilReady('service', 'orders');
  const { id = '' } = await until('the attachment', async () => {
    const status = (await world.service('orders'))?.status;
    return status?.vpcId !== undefined && status;
  });
  world.project.stores.service
    .get(id)
    ?.timeline.plan(world.clock.now(), [
      { afterMs: 0, change: (seen) => ({ ...seen, vpcEndpoint: { host: 'orders.internal' } }) },
    ]);
  await world.sync('service', 'orders');
  await world.stopOperators();
  await world.startedOperator();
  await world.delete('vpc', 'prod');
  await until('the deletion to be sent or held back', async () => {
    const { reason } = syncedOf((await world.vpc('prod')) ?? {}) ?? {};
    return callsOf(world, 'deleteVpc') > 0 || reason === 'DeletionBlocked';
  });
  expect(callsOf(world, 'deleteVpc')).toBe(0);
});

test('forks of each other are not created, and say so', async () => {
  await using world = await startWorld();
  await world.apply(forkOf('drill', 'copy'), forkOf('copy', 'drill'));
  expect(await world.untilReason('service', 'drill', 'ReferenceBlocked')).toContain(
    'is in turn a fork of this service',
  );
  expect(world.project.everCreated).toEqual([]);
});
