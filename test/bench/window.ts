import { setTimeout as pause } from 'node:timers/promises';
import { difference, type Counts } from './counts.ts';
import { cpuSeconds } from './proc.ts';
import type { Bench } from './scenario.ts';

/** The costs of an interval. */
export interface Spent {
  readonly wallSeconds: number;
  /** CPU of the process that did it. */
  readonly cpuSeconds: number;
  readonly apiServerCpuSeconds: number;
  /** Of the API server, by verb and resource; also those that came shortly after, such as events. */
  readonly requests: Counts;
  readonly cloudCalls: Counts;
}

/** @param worker the process whose CPU counts */
export async function spentOn(
  { cluster, cloud }: Bench,
  worker: { cpuSeconds(): Promise<number> },
  work: () => Promise<unknown>,
): Promise<Spent> {
  const [requests, calls] = [await cluster.requests(), await cloud.calls()];
  const look = () => Promise.all([worker.cpuSeconds(), cpuSeconds(cluster.apiServer)]);
  const [ownBefore, serverBefore] = await look();
  const begunAt = performance.now();
  await work();
  const wallSeconds = (performance.now() - begunAt) / 1_000;
  const [own, server] = await look();
  return {
    wallSeconds,
    cpuSeconds: own - ownBefore,
    apiServerCpuSeconds: server - serverBefore,
    requests: difference(requests, await settled(() => cluster.requests())),
    cloudCalls: difference(calls, await cloud.calls()),
  };
}

const quietMs = 1_000;
const longestMs = 10_000;

/** The counts, once nothing has come for a while. */
async function settled(look: () => Promise<Counts>): Promise<Counts> {
  const deadline = performance.now() + longestMs;
  for (let last = await look(); ;) {
    await pause(quietMs);
    const now = await look();
    if (Object.keys(difference(last, now)).length === 0 || performance.now() > deadline) return now;
    last = now;
  }
}
