import { names, watchFleet, type Fleet } from './fleet.ts';
import type { MeasuredOperator } from './operator.ts';
import { patience, type Bench } from './scenario.ts';

/**
 * The fleet that the scenarios of many objects share, since it takes minutes to make. The operator itself makes it,
 * service by service: it might not expect the writes of another program.
 */
export interface LargeFleet extends AsyncDisposable {
  readonly fleet: Fleet;
  /** The only operator of the fleet; started when there is none. */
  operator(): Promise<MeasuredOperator>;
  stopOperator(): Promise<void>;
  /** Brings the fleet up to so many, all Ready. */
  growTo(count: number): Promise<void>;
}

export async function largeFleet(bench: Bench): Promise<LargeFleet> {
  const fleet = await watchFleet(bench.cluster, await bench.cluster.newNamespace());
  let running: MeasuredOperator | undefined;
  const operator = async () => {
    if (running) return running;
    running = await bench.startOperator(fleet.namespace);
    await running.untilWorking();
    return running;
  };
  return {
    fleet,
    operator,
    async stopOperator() {
      running?.kill('SIGTERM');
      await running?.ended;
      running = undefined;
    },
    async growTo(count) {
      const { there, ready } = fleet.counts();
      if (ready >= count) return;
      await operator();
      bench.say(`${count - there} services are made`);
      await fleet.apply(names(count - there, there));
      await fleet.untilReady(count, patience(count));
    },
    async [Symbol.asyncDispose]() {
      await running?.[Symbol.asyncDispose]();
      await fleet[Symbol.asyncDispose]();
    },
  };
}
