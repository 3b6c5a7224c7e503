import { setTimeout as pause } from 'node:timers/promises';
import { names } from '../fleet.ts';
import type { LargeFleet } from '../large-fleet.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { quantile } from '../statistics.ts';
import { untilAtRest, visitsOf } from './at-rest.ts';

/** People edit services for as long as the operator visits all of them after its start, and then while it has nothing else to do. */
export const editUnderResync: Scenario = {
  full: { count: 10_000, rounds: 30 },
  async run(bench, { count, rounds }) {
    const large = await bench.largeFleet();
    await large.growTo(count);
    await large.stopOperator();
    const operator = await large.operator();
    // The first list of the cloud comes before the first visit: `restart` measures the costs of a start.
    while ((await visitsOf(operator)) === 0) await pause(lookEveryMs);
    const isBusy = async () => (await visitsOf(operator)) < count;
    const during = await edits(bench, large, rounds, { cpuMillis: 2_000, memoryGbs: 8 }, isBusy);
    const visits = await visitsOf(operator);
    bench.say(
      `${visits} of ${count} services were visited when the last of ${during.length} edits had reached the cloud`,
    );
    await untilAtRest(operator, count);
    await large.fleet.untilReady(count, 60);
    const alone = await edits(bench, large, rounds, { cpuMillis: 1_000, memoryGbs: 4 });
    await large.fleet.untilReady(count, 60);
    const [busy, quiet] = [quantile(during, 0.99), quantile(alone, 0.99)];
    return [
      { id: 'edit-under-resync.ratio', value: busy / quiet },
      { id: 'edit-under-resync.busy', value: busy },
      { id: 'edit-under-resync.quiet', value: quiet },
      { id: 'edit-under-resync.visits', value: visits },
    ];
  },
};

const longestMs = 60_000;
/** More often would take the CPU from the measured process. */
const lookEveryMs = 4;

/**
 * Edits services in a row, so many at most, and at least 1. @returns how many milliseconds each edit took from its
 * acceptance to its call to the cloud
 */
async function edits(
  { cloud }: Bench,
  { fleet }: LargeFleet,
  count: number,
  spec: object,
  goesOn: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<readonly number[]> {
  const taken: number[] = [];
  for (const name of names(Math.min(count, fleet.counts().there))) {
    const resizes = async () => (await cloud.calls())['resizeService'] ?? 0;
    const before = await resizes();
    await fleet.apply([name], spec);
    const begunAt = performance.now();
    while ((await resizes()) === before) {
      if (performance.now() - begunAt > longestMs)
        throw new Error(`the edit of ${name} did not reach the cloud`);
      await pause(lookEveryMs);
    }
    taken.push(performance.now() - begunAt);
    if (!(await goesOn())) break;
  }
  return taken;
}
