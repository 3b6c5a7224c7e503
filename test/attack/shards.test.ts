import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { secretsWithData } from '../../src/resources/connection-secret.ts';
import { managedServices } from '../../src/resources/managed-service.ts';
import { ringLabel } from '../../src/resources/shard-labels.ts';
import { leases, resourceKey } from '../../src/runtime/index.ts';
import { allowLease, lease, startReplica, type Replica } from '../crash/replica.ts';
import { changeIn, objectOf, overlaps, type Change } from '../support/changes.ts';
import { inParallel } from '../support/in-parallel.ts';
import { service } from '../support/manifests.ts';
import { ring, sharder } from '../support/sharder.ts';
import { startWorld, type World } from '../support/world.ts';
import { scale } from './scale.ts';

/** Three real processes and many objects. Heavy: `npm run test:attack -- --load 100 shards`; the number is a percentage of the size. */

const onlyWhenAsked = { skip: scale.load === undefined, timeout: 3_600_000 };
const count = Math.max(Math.round((3_000 * (scale.load ?? 0)) / 100), 6);
const names = Array.from({ length: count }, (_, index) => `orders-${index}`);
const atOnce = 16;
/** A shard waits this much longer for an object than another shard may rely on its cached state. */
const apartMs = 5_000;

test(
  'objects that move at random while shards are frozen and killed: one of everything, and never two owners',
  onlyWhenAsked,
  async () => {
    await using world = await startWorld({
      start: false,
      speed: 1,
      latencyMs: 1_000,
      endsRestless: 'the operators are processes',
    });
    await using shards = await ringOf(world, ['a', 'b', 'c']);
    const share = sharing(world);
    await inParallel(names, atOnce, (name) => world.apply(service(name)));
    await untilReady(world);

    await inParallel(names, atOnce, (name) => resize(world, name, 2000));
    const frozen = shards.get('b');
    frozen?.process.kill('SIGSTOP');
    await pause(4 * lease.durationMs);
    frozen?.process.kill('SIGCONT');
    expect(await frozen?.process.ended).toBe(1);
    await untilReady(world);

    await inParallel(names, atOnce, (name) => resize(world, name, 4000));
    shards.get('c')?.process.kill('SIGKILL');
    const gone = names.slice(0, Math.floor(count / 3));
    await inParallel(gone, atOnce, (name) =>
      world.kubernetes.delete<unknown>(managedServices, resourceKey(world.namespace, name)),
    );
    await untilNone(
      'to be gone',
      async () => (await services(world)).length - (count - gone.length),
    );
    await untilReady(world);
    await share.end();

    const commits = Object.fromEntries(world.project.commits);
    const changes = shards.changes();
    console.log({
      count,
      commits,
      by: Object.fromEntries(
        [...Map.groupBy(changes, ({ by }) => by)].map(([by, own]) => [by, own.length]),
      ),
    });
    expect(overlaps(changes, apartMs, objectOf(world.project))).toEqual([]);
    expect(commits).toMatchObject({ createService: count, deleteService: gone.length });
    // Those that were deleted may have been asked once.
    expect(commits['resizeService']).toBeLessThanOrEqual(2 * count);
    expect(await withoutPassword(world)).toEqual([]);
  },
);

/** Processes that share the objects of a world. */
async function ringOf(world: World, shardNames: readonly string[]) {
  await allowLease(world);
  const shards = new Map<string, Replica>();
  await Promise.all(
    shardNames.map(async (name) => {
      const settings = { 'controller-ring': ring, 'shard-name': name };
      shards.set(name, await startReplica(world, settings));
      await shards.get(name)?.untilWorking();
    }),
  );
  return {
    get: (name: string) => shards.get(name),
    changes: (): readonly Change[] =>
      [...shards]
        .flatMap(([by, { cloud }]) =>
          cloud.requests.flatMap((passing) => changeIn(by, passing, passing.atMs) ?? []),
        )
        .toSorted((a, b) => a.atMs - b.atMs),
    async [Symbol.asyncDispose]() {
      await Promise.all([...shards.values()].map((each) => each[Symbol.asyncDispose]()));
    },
  };
}

/** Gives objects to living shards, as the sharder does, and moves some of them at random. */
function sharing(world: World) {
  const { give, drain, shardOf } = sharder(world);
  const ending = new AbortController();
  let alive: readonly string[] = [];
  const anyAlive = () => alive[Math.floor(Math.random() * alive.length)];
  const share = async () => {
    alive = await livingShards(world);
    await inParallel(await services(world), atOnce, async ({ metadata: { name } }) => {
      const [from, to] = [await shardOf(name), anyAlive()];
      if (to !== undefined && (from === undefined || !alive.includes(from))) await give(name, to);
    });
  };
  const whileItLasts = async (act: () => Promise<void>, everyMs: number) => {
    while (!ending.signal.aborted) {
      await act();
      await pause(everyMs);
    }
  };
  const move = async () => {
    const [name, to] = [names[Math.floor(Math.random() * count)] ?? '', anyAlive()];
    if (to !== undefined) await (Math.random() < 0.5 ? drain(name) : give(name, to));
  };
  // At any number of objects, each moves once in ten minutes.
  const all = Promise.all([whileItLasts(share, 1_000), whileItLasts(move, 600_000 / count)]);
  return {
    async end() {
      ending.abort();
      await all;
    },
  };
}

/** As the sharder does, takes each Lease that was not renewed for twice its duration: its shard is dead then. */
async function livingShards(world: World): Promise<readonly string[]> {
  const { items } = await world.kubernetes.list(leases, {
    namespace: world.namespace,
    labelSelector: `${ringLabel}=${ring}`,
  });
  const held = items.filter(({ metadata, spec }) => spec.holderIdentity === metadata.name);
  for (const found of held) {
    const { renewTime, leaseDurationSeconds } = found.spec;
    if (Date.now() < Date.parse(renewTime ?? '') + 2_000 * (leaseDurationSeconds ?? 15)) continue;
    const spec = {
      ...found.spec,
      holderIdentity: 'shardlease-controller',
      renewTime: new Date().toISOString().replace('Z', '000Z'),
    };
    const key = resourceKey(world.namespace, found.metadata.name);
    await world.kubernetes.replace(leases, key, { ...found, spec }).catch(() => undefined); // it was renewed
  }
  return held.map(({ metadata }) => metadata.name);
}

const services = async (world: World) =>
  (await world.kubernetes.list(managedServices, { namespace: world.namespace })).items;

function resize(world: World, name: string, cpuMillis: number) {
  const spec = { cpuMillis, memoryGbs: cpuMillis / 250 };
  return world.kubernetes.patch(managedServices, resourceKey(world.namespace, name), { spec });
}

function untilReady(world: World): Promise<void> {
  return untilNone('to be ready', async () => {
    const isReady = (each: Awaited<ReturnType<typeof services>>[number]) =>
      each.status?.conditions?.some(
        ({ type, status, observedGeneration }) =>
          type === 'Synced' && status === 'True' && observedGeneration === each.metadata.generation,
      );
    return (await services(world)).filter((each) => isReady(each) !== true).length;
  });
}

/** Waits for as long as the number goes down. */
async function untilNone(what: string, leftNow: () => Promise<number>): Promise<void> {
  let [fewest, since] = [Infinity, performance.now()];
  for (let left = await leftNow(); left > 0; left = await leftNow()) {
    if (left < fewest) [fewest, since] = [left, performance.now()];
    if (performance.now() - since > 180_000)
      throw new Error(`waited for ${left} of ${count} ${what} in vain`);
    await pause(1_000);
  }
}

/** Services whose Secret does not have their password. */
async function withoutPassword(world: World): Promise<readonly string[]> {
  const { items } = await world.kubernetes.list(secretsWithData, { namespace: world.namespace });
  const stored = new Map(items.map(({ metadata, data }) => [metadata.name, data['password']]));
  return (await services(world)).flatMap(({ metadata: { name }, status }) =>
    stored.get(`${name}-db`) === world.project.stores.service.get(status?.id ?? '')?.password
      ? []
      : [name],
  );
}
