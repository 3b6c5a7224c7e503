import type { Measured } from '../budgets.ts';
import { inWords, total } from '../counts.ts';
import { names, watchFleet } from '../fleet.ts';
import { lookInside } from '../inspector.ts';
import type { ProcessMemory } from '../proc.ts';
import type { Write } from '../recording.ts';
import { patience, type Bench, type Scenario } from '../scenario.ts';
import { median, medianOfRatios } from '../statistics.ts';
import { isCloudRead, isKubernetesRead, isWrite } from '../traffic.ts';
import { spentOn, type Spent } from '../window.ts';
import { record, replayOnce } from './bring-up.ts';

interface Round {
  readonly create: Spent;
  readonly memory: ProcessMemory;
  readonly liveHeapMib: number;
  readonly eventLoopDelayMs: number;
}

/** Many services are applied at once, and all become Ready: by the operator, and by a bare replay of its writes, in turns. */
export const create: Scenario = {
  full: { count: 1_000, rounds: 5 },
  async run(bench, { count, rounds }) {
    const recording = await record(bench);
    bench.say(`recorded: ${recording.writes.map(inShort).join(', ')}`);
    const done: { readonly round: Round; readonly replay: Spent }[] = [];
    for (let index = 0; index < rounds; index++) {
      // Who comes first takes turns, too.
      const early = index % 2 === 1 ? await replayOnce(bench, recording, count) : undefined;
      const round = await createOnce(bench, count);
      const replay = early ?? (await replayOnce(bench, recording, count));
      done.push({ round, replay });
      bench.say(
        `round ${index + 1}: ${seconds(round.create)} by the operator, ${seconds(replay)} replayed`,
      );
    }
    const [first] = done;
    if (first)
      bench.say(
        `requests of all: ${inWords(first.round.create.requests)}; replayed: ${inWords(first.replay.requests)}`,
      );
    return measured(done, count);
  },
};

async function createOnce(bench: Bench, count: number): Promise<Round> {
  const namespace = await bench.cluster.newNamespace();
  await using fleet = await watchFleet(bench.cluster, namespace);
  await using operator = await bench.startOperator(namespace);
  await operator.untilWorking();
  await operator.eventLoopDelayMs(); // earlier delays do not count
  const spent = await spentOn(bench, operator, async () => {
    await fleet.apply(names(count));
    await fleet.untilReady(count, patience(count));
  });
  const eventLoopDelayMs = await operator.eventLoopDelayMs();
  const memory = await operator.memory();
  const { liveHeapMib } = await lookInside(await operator.inspector());
  await fleet.deleteAll();
  await fleet.untilGone(patience(count) * 2);
  return { create: spent, memory, liveHeapMib, eventLoopDelayMs };
}

function measured(
  done: readonly { readonly round: Round; readonly replay: Spent }[],
  count: number,
): readonly Measured[] {
  const eachMs = (of: (one: (typeof done)[number]) => number) =>
    (median(done.map(of)) / count) * 1_000;
  const most = (of: (round: Round) => number) => median(done.map(({ round }) => of(round)));
  const requests = (isCounted: (name: string) => boolean) =>
    most(({ create: { requests: all } }) => total(all, isCounted));
  const calls = (isCounted: (name: string) => boolean) =>
    most(({ create: { cloudCalls } }) => total(cloudCalls, isCounted));
  const ratio = (of: (spent: Spent) => number) =>
    medianOfRatios(done.map(({ round, replay }) => ({ value: of(round.create), of: of(replay) })));
  return [
    { id: 'create.wall-ratio', value: ratio(({ wallSeconds }) => wallSeconds) },
    { id: 'create.wall', value: most(({ create: { wallSeconds } }) => wallSeconds) },
    { id: 'create.operator-cpu', value: eachMs(({ round }) => round.create.cpuSeconds) },
    { id: 'create.replay-cpu', value: eachMs(({ replay }) => replay.cpuSeconds) },
    { id: 'create.api-server-cpu', value: eachMs(({ round }) => round.create.apiServerCpuSeconds) },
    {
      id: 'create.api-server-cpu-ratio',
      value: ratio(({ apiServerCpuSeconds }) => apiServerCpuSeconds),
    },
    {
      id: 'create.writes',
      value: requests((name) => isWrite(name) && !name.endsWith(' events')) / count,
    },
    {
      id: 'create.events',
      value: requests((name) => isWrite(name) && name.endsWith(' events')) / count,
    },
    { id: 'create.kubernetes-reads', value: requests(isKubernetesRead) },
    { id: 'create.cloud-reads', value: calls(isCloudRead) },
    { id: 'create.cloud-writes', value: calls((name) => !isCloudRead(name)) / count },
    { id: 'create.event-loop', value: most(({ eventLoopDelayMs }) => eventLoopDelayMs) },
    { id: 'create.rss', value: most(({ memory: { rssMib } }) => rssMib) },
    { id: 'create.peak', value: most(({ memory: { peakMib } }) => peakMib) },
    { id: 'create.heap', value: most(({ liveHeapMib }) => liveHeapMib) },
  ];
}

function seconds({ wallSeconds }: Spent): string {
  return `${wallSeconds.toFixed(2)} s`;
}

/** `PATCH managedservices/orders-00000/status after the cloud`. */
function inShort({ method, path, isAfterCloud }: Write): string {
  const object = path.replace(/\?.*$/u, '').replace(/^.*\/namespaces\/[^/]+\//u, '');
  return `${method} ${object}${isAfterCloud ? ' after the cloud' : ''}`;
}
