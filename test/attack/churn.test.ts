import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { recordIn } from '../../src/resources/ledger-entry.ts';
import { entriesOf } from '../support/entries-of.ts';
import { inParallel } from '../support/in-parallel.ts';
import { service } from '../support/manifests.ts';
import { until } from '../support/until.ts';
import { startWorld, type World } from '../support/world.ts';
import { scale } from './scale.ts';

/**
 * Services that are created and deleted again within 0 to 250 ms. Kubernetes may read an object for a DELETE before the
 * operator has written its finalizer, so a service may stay in the cloud without its object: an event must name it.
 * All of them: `npm run test:attack -- churn`.
 */

const objects = scale.isWhole ? 1_000 : 60;
const atOnce = 12;
const longestLifeMs = 250;
const pause = promisify(setTimeout);

const eventList = z.object({
  items: z.array(z.object({ reason: z.string(), message: z.string() })),
});

/** The messages of all events with this reason. */
async function eventsOf(world: World, reason: string): Promise<readonly string[]> {
  const { stdout } = await world.kubectl(['get', 'events', '-o', 'json']);
  return eventList
    .parse(JSON.parse(stdout))
    .items.flatMap((event) => (event.reason === reason ? [event.message] : []));
}

const liveIn = ({ project }: World) =>
  project.everCreated.filter(({ deletedAt }) => deletedAt === undefined).map(({ id }) => id);

/** The resources that stay, with the reports about them. */
async function left(world: World) {
  const reports = await eventsOf(world, 'Abandoned');
  const stays = liveIn(world);
  const entries = await entriesOf(world);
  return {
    unnamed: stays.filter((id) => !reports.some((message) => message.includes(id))),
    openCreates: entries.flatMap((entry) => recordIn(entry).attempt ?? []),
    named: stays.length,
  };
}

test(
  'services that are created and deleted again at once leave no database behind without an event that names it',
  { timeout: 900_000 },
  async () => {
    await using world = await startWorld({ speed: 20, latencyMs: 200 });
    const numbers = Array.from({ length: objects }, (_, index) => index);
    await inParallel(numbers, atOnce, async (index) => {
      const name = `brief-${index}`;
      await world.apply(service(name));
      await pause(Math.random() * longestLifeMs);
      await world.delete('service', name);
      await world.untilGone('service', name);
    });
    await until(
      'all events',
      async () => (await left(world)).unnamed.length === 0,
      () => left(world),
    );
    const { named, ...rest } = await left(world);
    expect(rest).toEqual({ unnamed: [], openCreates: [] });
    // Such a deletion is rare: the window is the time that the API server takes for a DELETE.
    expect(named).toBeLessThan(objects / 20);
    expect(world.project.everCreated.length).toBeGreaterThan(0);
  },
);
