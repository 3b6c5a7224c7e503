import { setTimeout as pause } from 'node:timers/promises';
import { inWords, total } from '../counts.ts';
import { names, watchFleet, type Fleet } from '../fleet.ts';
import { lookInside, type Held } from '../inspector.ts';
import type { MeasuredOperator } from '../operator.ts';
import { patience, type Bench, type Scenario } from '../scenario.ts';
import { isCloudRead } from '../traffic.ts';

/**
 * Laps without end: services are made, edited, broken, mended and deleted. After each lap the operator holds as much as
 * after the first laps.
 */
export const soak: Scenario = {
  full: { count: 100, rounds: 1 },
  async run(bench, { count, minutes }) {
    await using fleet = await watchFleet(bench.cluster, await bench.cluster.newNamespace());
    await using operator = await bench.startOperator(fleet.namespace);
    await operator.untilWorking();
    for (let warm = 0; warm < warmLaps; warm++) await lap(bench, fleet, count);
    const first = await held(operator);
    const begunAt = performance.now();
    let laps = 0;
    do {
      await lap(bench, fleet, count);
      laps += 1;
      if (laps % 10 === 0)
        bench.say(`${laps} laps, ${(await operator.memory()).rssMib.toFixed(0)} MiB resident`);
    } while (performance.now() - begunAt < minutes * 60_000);
    const last = await held(operator);
    bench.say(`held at first: ${inWords(first.resources)}; at last: ${inWords(last.resources)}`);
    const calls = await bench.cloud.calls();
    await pause(idleMs);
    const reads = total(await bench.cloud.calls(), isCloudRead) - total(calls, isCloudRead);
    return [
      { id: 'soak.laps', value: laps },
      { id: 'soak.heap-ratio', value: last.liveHeapMib / first.liveHeapMib },
      { id: 'soak.heap', value: last.liveHeapMib },
      { id: 'soak.resources', value: total(last.resources) - total(first.resources) },
      { id: 'soak.cloud-reads', value: reads },
      { id: 'soak.peak', value: (await operator.memory()).peakMib },
    ];
  },
};

/** Memory that is filled once, such as compiled code, is there after so many. */
const warmLaps = 3;
/** Unused connections are closed by then, and unused lists are no longer requested. */
const settleMs = 15_000;
const idleMs = 30_000;

async function held(operator: MeasuredOperator): Promise<Held> {
  await pause(settleMs);
  return lookInside(await operator.inspector());
}

async function lap({ cloud }: Bench, fleet: Fleet, count: number): Promise<void> {
  const all = names(count);
  const seconds = patience(count) * 2;
  await fleet.apply(all);
  await fleet.untilReady(count, seconds);
  await fleet.apply(all, { cpuMillis: 2_000, memoryGbs: 8 });
  await fleet.untilReady(count, seconds);
  const ids = all.slice(0, Math.ceil(count / 10)).flatMap((name) => fleet.get(name)?.id ?? []);
  for (const status of ['UNSTABLE', 'READY']) for (const id of ids) await cloud.force(id, status);
  await fleet.deleteAll();
  await fleet.untilGone(seconds);
}
