import { expect, test } from 'vitest';
import { syncedOf } from '../../../src/resources/condition.ts';
import { managedServices } from '../../../src/resources/managed-service.ts';
import { force } from '../../../src/simulator/store.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { letPass } from '../../support/let-pass.ts';
import { service } from '../../support/manifests.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';
import { isWeekly } from '../../support/weekly.ts';

/** Many go at once: by a namespace that is deleted, or in the console. That takes seconds, and a few calls more than the DELETEs. (docs/safety.md, Gone) */

const count = 100;

async function createFleet(world: World): Promise<void> {
  const items = Array.from({ length: count }, (_, n) => service(`s${n}`));
  expect(
    await world.kubectl(
      ['apply', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
    ),
  ).toMatchObject({ code: 0 });
  await untilAll(world, 'Available');
}

async function untilAll(world: World, reason: string): Promise<void> {
  const isSo = async () => {
    const all = await reasons(world);
    return all.length === count && all.every((each) => each === reason);
  };
  await until(`all to say ${reason}`, isSo, () => reasons(world));
}

async function reasons(world: World): Promise<readonly string[]> {
  const { items } = await world.kubernetes.list(managedServices, { namespace: world.namespace });
  return items.map((item) => syncedOf(item)?.reason ?? '');
}

/** The first row has the counts. In each run, stories of the simulation delete while the cloud takes its time. */
const removals: readonly (readonly [string, number])[] = [
  ['at once', 0],
  ['after a while', 5_000],
];

test.each(isWeekly ? removals : removals.slice(0, 1))(
  'services that are deleted together are all gone within seconds, when the cloud removes them %s',
  { timeout: 120_000 },
  async (_how, latencyMs) => {
    // Real time: it is about how much of it passes, and how many calls are made in it.
    await using world = await startWorld({ speed: 1, latencyMs });
    await createFleet(world);
    const before = {
      lists: callsOf(world, 'listServices'),
      infos: callsOf(world, 'getCredentialsInfo'),
      gets: callsOf(world, 'getService'),
    };
    const begun = world.clock.now();
    await world.kubectl(['delete', 'managedservices', '--all', '--wait=false']);
    await until(
      'all to be gone',
      async () => (await reasons(world)).length === 0,
      () => reasons(world),
    );
    const seconds = (world.clock.now() - begun) / 1_000;
    expect(callsOf(world, 'deleteService')).toBe(count);
    expect(callsOf(world, 'listServices') - before.lists).toBeLessThan(seconds + 5);
    expect(callsOf(world, 'getCredentialsInfo') - before.infos).toBeLessThan(seconds + 5);
    expect(callsOf(world, 'getService') - before.gets).toBeLessThanOrEqual(2 * count);
  },
);

// attempts.test.ts has a list that cannot be read, for a single object.
test.runIf(isWeekly)(
  'services that are deleted together while lists are garbled for a minute are gone soon afterwards',
  { timeout: 120_000 },
  async () => {
    await using world = await startWorld({ speed: 5, latencyMs: 0 });
    await createFleet(world);
    world.project.faults.add({ kind: 'malformed', operation: 'listServices', as: 'wrongType' });
    await world.kubectl(['delete', 'managedservices', '--all', '--wait=false']);
    await letPass(world, 60_000);
    expect((await reasons(world)).length, 'nothing is gone by a list that cannot be read').toBe(
      count,
    );
    world.project.faults.clear();
    const cleared = world.clock.now();
    await until(
      'all to be gone',
      async () => (await reasons(world)).length === 0,
      () => reasons(world),
    );
    // Long before any visit that waits for nothing.
    expect(world.clock.now() - cleared).toBeLessThan(120_000);
    expect(callsOf(world, 'deleteService')).toBe(count);
  },
);

test(
  'services that a foreign client deletes together all become Lost, for a few calls, and cost almost nothing afterwards',
  { timeout: 120_000 },
  async () => {
    await using world = await startWorld({ speed: 20, latencyMs: 0 });
    await createFleet(world);
    const calls = () => [...world.project.calls.values()].reduce((all, each) => all + each, 0);
    const before = calls();
    for (const { id } of world.project.everCreated)
      force(world.project, { kind: 'service', id, status: undefined });
    await untilAll(world, 'Lost');
    expect(calls() - before).toBeLessThan(3 * count);
    await letPass(world, 30_000); // reconciles that are under way end
    const lost = calls();
    await letPass(world, 120_000);
    expect(calls() - lost).toBeLessThan(20);
  },
);
