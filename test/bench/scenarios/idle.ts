import { setTimeout as pause } from 'node:timers/promises';
import { inWords, total } from '../counts.ts';
import type { Scenario } from '../scenario.ts';
import { isCloudRead, isWrite } from '../traffic.ts';
import { spentOn } from '../window.ts';

/** Many services are Ready, and nothing happens for two minutes: a list a minute counts once or twice. */
export const idle: Scenario = {
  full: { count: 10_000, rounds: 2 },
  async run(bench, { count, rounds }) {
    const large = await bench.largeFleet();
    await large.growTo(count);
    const operator = await large.operator();
    bench.say(`nothing happens for ${rounds + 1} minutes`);
    // The cloud's last changes are polled more often, until a list of every minute has shown them.
    await pause(minuteMs);
    const spent = await spentOn(bench, operator, () => pause(rounds * minuteMs));
    bench.say(`requests: ${inWords(spent.requests)}; calls: ${inWords(spent.cloudCalls)}`);
    return [
      { id: 'idle.cores', value: spent.cpuSeconds / spent.wallSeconds },
      { id: 'idle.api-server-cores', value: spent.apiServerCpuSeconds / spent.wallSeconds },
      {
        id: 'idle.cloud-reads',
        value: (total(spent.cloudCalls, isCloudRead) / spent.wallSeconds) * 60,
      },
      { id: 'idle.writes', value: total(spent.requests, isWrite) },
    ];
  },
};

const minuteMs = 60_000;
