import { expect, test } from 'vitest';
import type { Operator } from '../../../src/operator/operator.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { parseExposition } from '../../support/exposition.ts';
import { force } from '../../../src/simulator/store.ts';
import { letPass } from '../../support/let-pass.ts';
import { peering, replicaSet, service, vpc } from '../../support/manifests.ts';
import { startWorld, type World } from '../../support/world.ts';

/**
 * An object whose resource is gone from the cloud stays Lost, and the operator reports it once.
 * (docs/runbooks/managed-db-lost.md)
 */

const objects = [
  ['vpc', 'prod'],
  ['service', 'orders'],
  ['replicaSet', 'reads'],
] as const;
const settings = { health: { host: '127.0.0.1', port: 0 } };

async function lost(world: World): Promise<void> {
  await world.apply(
    vpc('prod', { peerings: [peering] }),
    service('orders'),
    replicaSet('reads', 'orders'),
  );
  for (const [kind, name] of objects) await world.untilReady(kind, name);
  for (const [kind, name] of objects.toReversed()) {
    const id = (await world[kind](name))?.status?.id ?? '';
    force(world.project, { kind, id, status: undefined });
  }
  for (const [kind, name] of objects) await world.untilReason(kind, name, 'Lost');
}

/** All events, and the version of each object: another status would be another version. */
async function told(world: World): Promise<unknown> {
  const events = [
    'get',
    'events',
    '-o',
    'jsonpath={range .items[*]}{.reason} {.count} {.message}{"\\n"}{end}',
  ];
  const versions = await Promise.all(
    objects.map(async ([kind, name]) => (await world[kind](name))?.metadata.resourceVersion),
  );
  return [(await world.kubectl(events)).stdout.split('\n').toSorted(), versions];
}

/** The values of a metric that are not 0, by the given label. */
async function values(
  { healthPort }: Operator,
  metric: string,
  label: string,
): Promise<Readonly<Record<string, number>>> {
  const families = parseExposition(
    await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text(),
  );
  const samples = families.get(metric)?.samples.filter(({ value }) => value > 0) ?? [];
  return Object.fromEntries(samples.map(({ labels, value }) => [labels[label] ?? '', value]));
}

const lostOf = (operator: Operator) => values(operator, 'managed_db_lost_objects', 'kind');
const ages = async (operator: Operator) =>
  Object.keys(await values(operator, 'managed_db_cloud_snapshot_age_seconds', 'list'));

test('Lost objects stay Lost through a restart, without another status, another event or a gap in the metric', async () => {
  await using world = await startWorld({ start: false });
  const first = await world.startedOperator({ settings });
  await lost(world);
  await letPass(world, 20_000);
  const before = await told(world);
  const each = { ManagedVpc: 1, ManagedService: 1, ReplicaSet: 1 };
  expect(await lostOf(first)).toEqual(each);
  await world.stopOperators();
  const second = await world.startedOperator({ settings });
  expect(await lostOf(second)).toEqual(each);
  for (let quarter = 0; quarter < 16; quarter += 1) {
    await letPass(world, 15_000);
    expect(await lostOf(second)).toEqual(each);
    expect(await told(world)).toEqual(before);
  }
});

const below = ['listReplicaSets', 'listPeerings'] as const;

test('the lists of a parent that is gone are not polled, and their age is not served, also after a restart', async () => {
  await using world = await startWorld({ start: false });
  world.project.includeReplicaSets = false;
  const first = await world.startedOperator({ settings });
  await lost(world);
  await letPass(world, 120_000);
  const shows = async (operator: Operator) => {
    const before = below.map((list) => callsOf(world, list));
    await letPass(world, 240_000);
    expect(below.map((list, index) => callsOf(world, list) - (before[index] ?? 0))).toEqual([0, 0]);
    expect((await ages(operator)).toSorted()).toEqual(['listServices', 'listVpcs']);
  };
  await shows(first);
  await world.stopOperators();
  const second = await world.startedOperator({ settings });
  await letPass(world, 240_000);
  await shows(second);
});
