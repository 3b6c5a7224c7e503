import { inWords, total } from '../counts.ts';
import { names, watchFleet } from '../fleet.ts';
import { patience, type Bench, type Scenario } from '../scenario.ts';
import { median, medianOfRatios } from '../statistics.ts';
import { isCloudRead, isWrite } from '../traffic.ts';
import { spentOn, type Spent } from '../window.ts';

interface Round {
  readonly create: Spent;
  readonly remove: Spent;
}

/** Many services are made, and deleted in a single request. */
export const remove: Scenario = {
  full: { count: 1_000, rounds: 3 },
  async run(bench, { count, rounds }) {
    const done: Round[] = [];
    for (let index = 0; index < rounds; index++) {
      const round = await once(bench, count);
      done.push(round);
      bench.say(
        `round ${index + 1}: deleted in ${round.remove.wallSeconds.toFixed(2)} s; requests: ${inWords(round.remove.requests)}; calls: ${inWords(round.remove.cloudCalls)}`,
      );
    }
    const removed = (of: (spent: Spent) => number) => median(done.map((round) => of(round.remove)));
    return [
      {
        id: 'delete.wall-ratio',
        value: medianOfRatios(
          done.map((round) => ({ value: round.remove.wallSeconds, of: round.create.wallSeconds })),
        ),
      },
      { id: 'delete.wall', value: removed(({ wallSeconds }) => wallSeconds) },
      {
        id: 'delete.operator-cpu',
        value: removed(({ cpuSeconds }) => (cpuSeconds / count) * 1_000),
      },
      {
        id: 'delete.api-server-cpu',
        value: removed(({ apiServerCpuSeconds }) => (apiServerCpuSeconds / count) * 1_000),
      },
      {
        id: 'delete.writes',
        value:
          removed(({ requests }) =>
            total(requests, (name) => isWrite(name) && !name.endsWith(' events')),
          ) / count,
      },
      {
        id: 'delete.cloud-gets',
        value: removed(({ cloudCalls }) => total(cloudCalls, (name) => name.startsWith('get'))),
      },
      {
        id: 'delete.cloud-lists',
        value: removed(({ cloudCalls }) => total(cloudCalls, (name) => name.startsWith('list'))),
      },
      {
        id: 'delete.cloud-writes',
        value: removed(({ cloudCalls }) => total(cloudCalls, (name) => !isCloudRead(name))) / count,
      },
    ];
  },
};

async function once(bench: Bench, count: number): Promise<Round> {
  await using fleet = await watchFleet(bench.cluster, await bench.cluster.newNamespace());
  await using operator = await bench.startOperator(fleet.namespace);
  await operator.untilWorking();
  const create = await spentOn(bench, operator, async () => {
    await fleet.apply(names(count));
    await fleet.untilReady(count, patience(count));
  });
  const deleted = await spentOn(bench, operator, async () => {
    await fleet.deleteAll();
    await fleet.untilGone(patience(count) * 2);
  });
  return { create, remove: deleted };
}
