import { setTimeout as pause } from 'node:timers/promises';
import type { FigureId, Measured } from '../budgets.ts';
import { lookInside } from '../inspector.ts';
import type { Scenario } from '../scenario.ts';

/** The memory of the process while its fleet grows; the costs of a start, such as a large first list, are part of `restart`. */
export const memory: Scenario = {
  full: { count: 10_000, rounds: 1 },
  async run(bench, { count }) {
    const large = await bench.largeFleet();
    const operator = await large.operator();
    const stages: readonly { readonly of: number; readonly id: FigureId }[] = [
      { of: 0, id: 'memory.rss-empty' },
      { of: Math.round(count / 10), id: 'memory.rss-tenth' },
      { of: Math.round(count / 2), id: 'memory.rss-half' },
      { of: count, id: 'memory.rss-full' },
    ];
    const measured: Measured[] = [];
    for (const { of, id } of stages) {
      if (large.fleet.counts().there > of) {
        bench.say(`${of} cannot be told any more: another scenario has made more`);
        continue;
      }
      await large.growTo(of);
      await pause(settleMs);
      measured.push({ id, value: (await operator.memory()).rssMib });
    }
    measured.push({ id: 'memory.peak', value: (await operator.memory()).peakMib });
    const { liveHeapMib } = await lookInside(await operator.inspector());
    return [
      ...measured,
      { id: 'memory.heap', value: liveHeapMib },
      { id: 'memory.heap-each', value: (liveHeapMib * 1_024) / count },
    ];
  },
};

/** The next collections free the memory of the work itself. */
const settleMs = 3_000;
