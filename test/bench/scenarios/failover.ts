import { names, watchFleet } from '../fleet.ts';
import { patience, type Bench, type Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';

/** Two processes, and the active process ends: killed, or asked to. */
export const failover: Scenario = {
  full: { count: 100, rounds: 3 },
  async run(bench, { count, rounds }) {
    const crash: number[] = [];
    const graceful: number[] = [];
    for (let index = 0; index < rounds; index++) {
      crash.push(await once(bench, 'SIGKILL', count));
      graceful.push(await once(bench, 'SIGTERM', count));
    }
    return [
      { id: 'failover.crash', value: median(crash) / 1_000 },
      { id: 'failover.crash-ratio', value: median(crash) / leaseMs },
      { id: 'failover.graceful', value: median(graceful) / 1_000 },
    ];
  },
};

/** The default of --leader-elect-lease-duration. */
const leaseMs = 15_000;

/** @returns milliseconds from the end of the active process to the first work of the other process */
async function once(bench: Bench, signal: NodeJS.Signals, count: number): Promise<number> {
  await using fleet = await watchFleet(bench.cluster, await bench.cluster.newNamespace());
  const election = {
    'leader-elect': 'true',
    'leader-elect-resource-namespace': 'managed-db-system',
  };
  await using first = await bench.startOperator(fleet.namespace, election);
  await first.untilWorking();
  await fleet.apply(names(count));
  await fleet.untilReady(count, patience(count));
  await using second = await bench.startOperator(fleet.namespace, election);
  await second.untilSaid('standing by');
  first.kill(signal);
  await first.ended;
  const endedAt = performance.now();
  await second.untilWorking();
  const takenMs = performance.now() - endedAt;
  await fleet.deleteAll();
  await fleet.untilGone(patience(count));
  second.kill('SIGTERM');
  await second.ended;
  return takenMs;
}
