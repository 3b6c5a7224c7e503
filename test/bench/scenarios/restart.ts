import { inWords, total } from '../counts.ts';
import { cpuSeconds } from '../proc.ts';
import type { Scenario } from '../scenario.ts';
import { isCloudRead, isWrite } from '../traffic.ts';
import { spentOn } from '../window.ts';
import { untilAtRest } from './at-rest.ts';

/** The operator ends and starts again over many services that are all Ready: nothing is to be done. */
export const restart: Scenario = {
  full: { count: 10_000, rounds: 1 },
  async run(bench, { count }) {
    const large = await bench.largeFleet();
    await large.growTo(count);
    await large.stopOperator();
    let readyMs = Number.NaN;
    let operatorCpu = Number.NaN;
    const spent = await spentOn(
      bench,
      { cpuSeconds: () => cpuSeconds(bench.cluster.apiServer) },
      async () => {
        const operator = await large.operator();
        readyMs = await operator.untilWorking();
        await untilAtRest(operator, count);
        operatorCpu = await operator.cpuSeconds();
      },
    );
    bench.say(`requests: ${inWords(spent.requests)}; calls: ${inWords(spent.cloudCalls)}`);
    const operator = await large.operator();
    const { rssMib, peakMib } = await operator.memory();
    return [
      { id: 'restart.ready', value: readyMs / 1_000 },
      { id: 'restart.visited', value: spent.wallSeconds },
      { id: 'restart.writes', value: total(spent.requests, isWrite) },
      { id: 'restart.cloud-writes', value: total(spent.cloudCalls, (name) => !isCloudRead(name)) },
      { id: 'restart.cloud-reads', value: total(spent.cloudCalls, isCloudRead) },
      { id: 'restart.operator-cpu', value: operatorCpu },
      { id: 'restart.api-server-cpu', value: spent.apiServerCpuSeconds },
      { id: 'restart.event-loop', value: await operator.eventLoopDelayMs() },
      { id: 'restart.rss', value: rssMib },
      { id: 'restart.peak', value: peakMib },
    ];
  },
};
