import { expect, test } from 'vitest';
import type { Peering } from '../../../src/cloud/wire/peering.ts';
import { peering, service, vpc } from '../../support/manifests.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { letPass } from '../../support/let-pass.ts';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** A part that a reply lacks is as it was. test/unit/reconcile/kinds/incomplete-replies.test.ts has the table. (docs/safety.md, Deleting) */

test.concurrent('a reply that lacks tags, replicas and size removes no protection and changes nothing', async () => {
  await using world = await startWorld();
  const spec = { highAvailability: { replicaCount: 1, syncReplicaCount: 1 } };
  const id = await readyService(world, spec);
  await world.createInCloud(`services/${id}/setEnvironment`, { environment: 'PROD' });
  await world.sync('service', 'orders');
  expect((await world.service('orders'))?.status?.onDelete).toBe('Protected');
  const changes = () => [
    callsOf(world, 'setServiceHighAvailability'),
    callsOf(world, 'resizeService'),
  ];
  const before = changes();
  const empty = { metadata: {}, ha_replicas: {}, resources: [{ id: '1', spec: {} }] };
  world.project.stores.service
    .get(id)
    ?.timeline.plan(world.clock.now(), [{ afterMs: 0, change: (seen) => ({ ...seen, ...empty }) }]);
  await world.sync('service', 'orders');
  expect((await world.service('orders'))?.status).toMatchObject({
    onDelete: 'Protected',
    size: '1000m/4GB',
  });
  await world.applyUntilReady(
    service('orders', { ...spec, connectionSecret: { labels: { team: 'shop' } } }),
  );
  expect((await world.kubectl(['delete', '--wait=false', 'msvc/orders'])).stderr).toContain(
    'because its environment is PROD',
  );
  expect(changes()).toEqual(before);
});

test.concurrent('a service that the cloud shows as attached, but not to which VPC, holds the VPC that this operator attached it to', async () => {
  await using world = await startWorld();
  await world.apply(vpc('prod'), service('orders', { vpcRef: { name: 'prod' } }));
  await world.untilReady('service', 'orders');
  const id = (await world.service('orders'))?.status?.id ?? '';
  world.project.stores.service
    .get(id)
    ?.timeline.plan(world.clock.now(), [
      { afterMs: 0, change: (seen) => ({ ...seen, vpcEndpoint: { host: 'orders.internal' } }) },
    ]);
  await world.sync('service', 'orders');
  await world.delete('vpc', 'prod');
  expect(await world.untilReason('vpc', 'prod', 'DeletionBlocked')).toContain('1 attached service');
  expect(callsOf(world, 'deleteVpc')).toBe(0);
});

/** The cloud shows this peering as active, without its region or again with it. @param from the time from which lists show it so */
function showRegion(
  world: World,
  id: string,
  region: string | undefined,
  from = world.clock.now(),
): void {
  // The API's document requires the field.
  const change = (seen: Peering) =>
    Object.assign({ ...seen }, { status: 'active', peer_region_code: region });
  world.project.stores.peering.get(id)?.timeline.plan(from, [{ afterMs: 0, change }]);
}

test.concurrent('an unanswered peering that lists show without its region is not asked for twice, and is found once they show it', async () => {
  // Lists lag, so that none shows the peering with its region before it is taken away.
  await using world = await startWorld({ speed: 120, listLagMs: 60_000 });
  await world.applyUntilReady(vpc('prod'));
  world.project.faults.add({ kind: 'replyLost', operation: 'createPeering', times: 1 });
  await world.apply(vpc('prod', { peerings: [peering] }));
  const { id, createdAt } = await until('the peering', () => world.project.everCreated[1]);
  showRegion(world, id, undefined, Date.parse(createdAt) + 1);
  await letPass(world, 240_000);
  await world.untilReason('vpc', 'prod', 'UnexpectedReply');
  showRegion(world, id, peering.peerRegionCode);
  await world.untilReady('vpc', 'prod');
  expect(callsOf(world, 'createPeering')).toBe(1);
});

test.concurrent('a wanted peering that the cloud shows without its region stays, though the manifest is replaced', async () => {
  await using world = await startWorld();
  await world.applyUntilReady(vpc('prod', { peerings: [peering] }));
  showRegion(world, world.project.everCreated[1]?.id ?? '', undefined);
  await letPass(world, 70_000);
  expect((await world.vpc('prod'))?.status?.peerings).toMatchObject([peering]);
  await world.stopOperators();
  await until('the replacement', async () => {
    const manifest = JSON.stringify(vpc('prod', { peerings: [peering] }));
    return (
      (await world.kubectl(['replace', '--field-manager=managed-db-operator', '-f', '-'], manifest))
        .code === 0
    );
  });
  await world.startedOperator();
  await world.untilReady('vpc', 'prod');
  await letPass(world, 60_000);
  expect([callsOf(world, 'createPeering'), callsOf(world, 'deletePeering')]).toEqual([1, 0]);
});
