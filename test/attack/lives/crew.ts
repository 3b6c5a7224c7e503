import type { Operator } from '../../../src/operator/operator.ts';
import type { Clock } from '../../../src/runtime/index.ts';
import { until } from '../../support/until.ts';
import type { World } from '../../support/world.ts';
import { operatorProcess, type Change, type Process, type Trap } from './process.ts';
import type { Random } from './random.ts';

/** The operators of a life. As under a Deployment, a new operator replaces each dead or frozen operator. */
export interface Crew extends AsyncDisposable {
  /** All changes that any operator has requested, in order. */
  changes(): readonly Change[];
  start(): Promise<void>;
  set(trap: Trap): void;
  kill(): void;
  freeze(forMs: number): void;
  restart(): Promise<void>;
  /** Ends all harm and kills the frozen operators: a single operator works on. */
  settle(): Promise<void>;
}

const hourMs = 3_600_000;

/** How long a thawed operator continues beside its successor before the crew kills it. */
const lingerMs = 10_000;

export function crew(world: World, random: Random, tell: (words: string) => void): Crew {
  const members: { readonly process: Process; operator?: Operator }[] = [];
  let ended = false;
  const running = () => members.filter(({ process }) => process.state === 'running');

  const start = async (): Promise<void> => {
    if (ended) return;
    const process = operatorProcess(world.clock, () => undefined);
    const member: (typeof members)[number] = { process };
    members.push(member);
    const nth = members.length;
    process.onDied(() => {
      tell(`operator ${nth} died`);
      void member.operator?.stop(0);
      world.clock.schedule(random.between(0, 4_000), () => void ensure());
    });
    process.onFrozen((forMs) => {
      tell(`operator ${nth} is frozen for ${forMs} ms`);
      world.clock.schedule(random.between(0, 4_000), () => void ensure());
      world.clock.schedule(forMs, () => {
        if (process.state !== 'frozen') return;
        tell(`operator ${nth} thaws`);
        process.thaw();
        world.clock.schedule(lingerMs, () => process.kill());
      });
    });
    member.operator = await world.startOperator({
      intercept: process.intercept,
      isDead: () => process.state !== 'running',
      clock: setWrong(
        world.clock,
        random.weighted([
          [8, 0],
          [1, hourMs],
          [1, -hourMs],
          [1, 60_000],
        ]),
      ),
    });
    if (process.state === 'dead') void member.operator.stop(0);
  };
  const ensure = async () => {
    if (running().length === 0) await start();
  };
  const newest = () => running().at(-1);
  return {
    changes: () =>
      members.flatMap(({ process }) => process.changes).toSorted((a, b) => a.at - b.at),
    start,
    set: (trap) => newest()?.process.set(trap),
    kill: () => newest()?.process.kill(),
    freeze: (forMs) => newest()?.process.freeze(forMs),
    async restart() {
      const old = newest();
      await old?.operator?.stop(1_000);
      old?.process.kill();
      await ensure();
    },
    async settle() {
      for (const { process } of members) {
        process.disarm();
        if (process.state === 'frozen') process.kill();
      }
      const [, ...others] = running().toReversed();
      for (const { process } of others) process.kill();
      await ensure();
      await until('an operator to work', async () => {
        // Killed before it had started, it is followed by another.
        const works = await newest()?.operator?.started.then(
          () => true,
          () => false,
        );
        return works === true && running().length === 1;
      });
    },
    async [Symbol.asyncDispose]() {
      ended = true;
      await Promise.all(running().map(async ({ operator }) => operator?.stop(1_000)));
      for (const { process } of members) process.kill();
    },
  };
}

/** The clock of a machine with a wrongly set time. */
function setWrong(clock: Clock, byMs: number): Clock {
  return {
    now: () => clock.now() + byMs,
    wallTime: () => clock.wallTime() + byMs,
    schedule: (delayMs, run) => clock.schedule(delayMs, run),
    sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
  };
}
