import { expect, test } from 'vitest';
import { callsOf } from '../../support/cloud-calls.ts';
import { force } from '../../../src/simulator/store.ts';
import { letPass } from '../../support/let-pass.ts';
import { replicaSet, service, vpc } from '../../support/manifests.ts';
import { whileStopped } from '../../support/while-stopped.ts';
import { startWorld, type World } from '../../support/world.ts';

/** What is gone from the cloud stays Lost, and is told once. (docs/runbooks/managed-db-lost.md) */

const objects = [
  ['vpc', 'prod'],
  ['service', 'orders'],
  ['replicaSet', 'reads'],
] as const;

async function lost(world: World): Promise<void> {
  await world.apply(vpc('prod'), service('orders'), replicaSet('reads', 'orders'));
  for (const [kind, name] of objects) await world.untilReady(kind, name);
  for (const [kind, name] of objects.toReversed()) {
    const id = (await world[kind](name))?.status?.id ?? '';
    force(world.project, { kind, id, status: undefined });
  }
  for (const [kind, name] of objects) await world.untilReason(kind, name, 'Lost');
}

async function told(world: World): Promise<unknown> {
  const events = ['get', 'events', '-o', 'jsonpath={range .items[*]}{.reason} {.count} {.message}{"\\n"}{end}'];
  const versions = await Promise.all(objects.map(async ([kind, name]) => (await world[kind](name))?.metadata.resourceVersion));
  return [(await world.kubectl(events)).stdout.split('\n').toSorted(), versions];
}

test('Lost objects stay Lost through a restart, without another status, and without another event', async () => {
  await using world = await startWorld();
  await lost(world);
  await letPass(world, 20_000);
  const before = await told(world);
  await whileStopped(world, () => Promise.resolve());
  for (let minute = 0; minute < 4; minute += 1) {
    await letPass(world, 60_000);
    expect(await told(world)).toEqual(before);
  }
});

test('the list of a service that is gone is not polled for the sake of its Lost replica set', async () => {
  await using world = await startWorld();
  world.project.includeReplicaSets = false;
  await lost(world);
  await letPass(world, 120_000);
  const before = callsOf(world, 'listReplicaSets');
  await letPass(world, 240_000);
  expect(callsOf(world, 'listReplicaSets') - before).toBeLessThanOrEqual(1);
});
