import { names, watchFleet } from '../fleet.ts';
import { patience, type Bench, type Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';

/** A service waits, and the operator starts: until it works, and until it has written to the service, which its first visit does. */
export const coldStart: Scenario = {
  full: { count: 1, rounds: 5 },
  async run(bench, { rounds }) {
    const starts: Awaited<ReturnType<typeof once>>[] = [];
    for (let index = 0; index < rounds; index++) starts.push(await once(bench));
    return [
      {
        id: 'cold-start.first-write',
        value: median(starts.map(({ writtenMs }) => writtenMs)) / 1_000,
      },
      { id: 'cold-start.works', value: median(starts.map(({ worksMs }) => worksMs)) / 1_000 },
      { id: 'cold-start.cpu', value: median(starts.map(({ cpuMs }) => cpuMs)) / 1_000 },
      { id: 'cold-start.rss', value: median(starts.map(({ rssMib }) => rssMib)) },
    ];
  },
};

async function once(bench: Bench) {
  await using fleet = await watchFleet(bench.cluster, await bench.cluster.newNamespace());
  const [name = ''] = names(1);
  await fleet.apply([name]);
  await fleet.untilThere(1, patience(1));
  const written = Promise.withResolvers<number>();
  fleet.onChange(() => written.resolve(performance.now()));
  await using operator = await bench.startOperator(fleet.namespace);
  const worksMs = await operator.untilWorking();
  const writtenMs = (await written.promise) - operator.startedAtMs;
  const cpuMs = (await operator.cpuSeconds()) * 1_000;
  const { rssMib } = await operator.memory();
  await fleet.untilReady(1, patience(1));
  await fleet.deleteAll();
  await fleet.untilGone(patience(1));
  return { worksMs, writtenMs, cpuMs, rssMib };
}
