import { expect, test } from 'vitest';
import { letPass } from '../../support/let-pass.ts';
import { replicaSet, secret, service, vpc } from '../../support/manifests.ts';
import { readyService } from '../../support/ready-service.ts';
import { whileStopped } from '../../support/while-stopped.ts';
import { startWorld, type World } from '../../support/world.ts';

async function events(world: World): Promise<readonly string[]> {
  const columns = [
    'get',
    'events',
    '-o',
    'jsonpath={range .items[*]}{.involvedObject.name} {.type} {.reason} {.count} {.message}{"\\n"}{end}',
  ];
  return (await world.kubectl(columns)).stdout.split('\n').toSorted();
}

/** Objects in all kinds of waits and refusals. */
async function live(world: World): Promise<void> {
  await world.apply(
    vpc('prod'),
    replicaSet('early', 'nowhere'),
    secret('cloud', { apiKey: world.project.apiKey }),
  );
  await world.untilReady('vpc', 'prod');
  for (const name of ['orders', 'adopts', 'suspended', 'blocked'])
    await readyService(world, {}, name);
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'createService',
    status: 400,
    name: 'refused',
  });
  await world.apply(service('rejected', { name: 'refused' }));
  await world.untilReason('service', 'rejected', 'Rejected');
  await world.patch('service', 'adopts', {
    metadata: { annotations: { 'managed-db.io/external-id': 'another' } },
  });
  await world.untilEvent('adopts', 'AdoptionFailed');
  await readyService(world, { credentialsRef: { name: 'cloud' } }, 'holds');
  await world.kubectl(['delete', 'secret', 'cloud', '--wait=false']);
  await world.untilEvent('cloud', 'DeletionBlocked');
  for (const name of ['suspended', 'blocked']) {
    await world.patch('service', name, { spec: { suspend: true } });
    await world.untilReason('service', name, 'Suspended');
  }
  await world.delete('service', 'blocked');
  await world.untilReason('service', 'blocked', 'DeletionBlocked');
  await world.untilReason('replicaSet', 'early', 'WaitingForReference');
}

test('a restart repeats no event', async () => {
  await using world = await startWorld({ endsRestless: 'a deletion waits' });
  await live(world);
  await letPass(world, 60_000);
  const before = await events(world);
  await whileStopped(world, () => Promise.resolve());
  await letPass(world, 180_000);
  expect(await events(world)).toEqual(before);
});

test('trouble of the cloud is a Warning event, and a restart repeats none', async () => {
  await using world = await startWorld({ endsRestless: 'the cloud is away' });
  await readyService(world);
  world.project.faults.add({ kind: 'errorBefore', operation: 'resizeService', status: 503 });
  await world.apply(service('orders', { cpuMillis: 2000, memoryGbs: 8 }));
  await world.untilReason('service', 'orders', 'CloudUnavailable');
  await letPass(world, 60_000);
  const before = await events(world);
  expect(before.filter((each) => each.startsWith('orders Warning CloudUnavailable'))).toHaveLength(
    1,
  );
  await whileStopped(world, () => Promise.resolve());
  await letPass(world, 180_000);
  expect(await events(world)).toEqual(before);
});
