import { expect, test } from 'vitest';
import { serviceStates } from '../../../src/cloud/wire/service.ts';
import { replicaSetStates } from '../../../src/cloud/wire/replica-set.ts';
import { force } from '../../../src/simulator/store.ts';
import { peering, replicaSet, service, vpc } from '../../support/manifests.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** The columns that `kubectl get` prints for an object, and its status when it is asked for. */
async function untilPrinted(world: World, kind: string, name: string, word: string): Promise<void> {
  await until(
    `kubectl get to print ${word}`,
    async () =>
      (await world.kubectl(['get', kind, name, '--no-headers'])).stdout
        .split(/\s+/u)
        .includes(word),
    () => world.kubectl(['get', kind, name, '-o', 'yaml']),
  );
}

test('each state of an existing service shows in kubectl get, also an unknown one', async () => {
  await using world = await startWorld({ speed: 600 });
  await world.applyUntilReady(service('orders'));
  const id = (await world.service('orders'))?.status?.id ?? '';
  for (const status of [...serviceStates.filter((state) => state !== 'DELETED'), 'DEFRAGMENTING']) {
    force(world.project, { kind: 'service', id, status });
    await untilPrinted(world, 'managedservice', 'orders', status);
  }
  force(world.project, { kind: 'service', id, status: 'READY' });
  await world.untilReady('service', 'orders');
  expect(world.project.everCreated.length).toBe(1);
});

test('each state of a replica set shows in kubectl get, also an unknown one', async () => {
  await using world = await startWorld({ speed: 600 });
  await world.apply(service('orders'), replicaSet('reads', 'orders'));
  await world.untilReady('replicaSet', 'reads');
  const id = (await world.replicaSet('reads'))?.status?.id ?? '';
  for (const status of [...replicaSetStates, 'rebalancing']) {
    force(world.project, { kind: 'replicaSet', id, status });
    await untilPrinted(world, 'readreplicaset', 'reads', status);
  }
  force(world.project, { kind: 'replicaSet', id, status: 'error' });
  expect(await world.untilReason('replicaSet', 'reads', 'CloudError')).toContain('gives no reason');
});

test('each state of a peering shows in status, and a failed one with its reason', async () => {
  await using world = await startWorld({ speed: 600 });
  await world.applyUntilReady(vpc('prod', { peerings: [peering] }));
  const id = world.project.everCreated.find(({ kind }) => kind === 'peering')?.id ?? '';
  for (const status of ['pending', 'failed', 'handshaking', 'active']) {
    force(world.project, { kind: 'peering', id, status });
    await until(
      `the peering to be ${status}`,
      async () => (await world.vpc('prod'))?.status?.peerings?.[0]?.status === status,
      () => world.vpc('prod'),
    );
  }
  await world.untilReady('vpc', 'prod');
  force(world.project, {
    kind: 'peering',
    id,
    status: 'failed',
    errorMessage: 'the CIDRs overlap',
  });
  expect(await world.untilReason('vpc', 'prod', 'PeeringFailed')).toContain('"the CIDRs overlap"');
});

test('an unknown reply field is neither logged nor stored', async () => {
  await using world = await startWorld();
  world.project.faults.add({ kind: 'malformed', operation: 'listServices', as: 'unknownField' });
  world.project.faults.add({ kind: 'malformed', operation: 'createService', as: 'unknownField' });
  await world.applyUntilReady(service('orders'));
  expect(JSON.stringify(await world.service('orders'))).not.toContain('launched_by');
  expect(JSON.stringify(await world.service('orders'))).not.toContain('launchedBy');
  expect(world.log.join('')).not.toContain('launched_by');
});
