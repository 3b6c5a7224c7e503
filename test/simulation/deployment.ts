import type { Change, Member } from './network.ts';
import { shardUser } from './api-server/rights.ts';
import { shardElection, shardNamed } from './sharder.ts';
import { outsideProcesses, simulatedProcess } from './process.ts';
import type { Harm } from './weather.ts';
import { electionOf, operatorUser, type SimulatedWorld } from './world.ts';

export interface DeploymentOptions {
  /** Processes with an election. 0: a single process without an election. */
  readonly replicas: number;
  readonly harmOf: (change: Change) => Harm | undefined;
  /** How far the policy clock of the nth process is ahead. Default: not at all. */
  readonly aheadMs?: (nth: number) => number;
  /** Other clusters whose ledger entries the processes accept. Default: none. */
  readonly acceptedClusters?: readonly string[] | undefined;
  /** Whether the processes share the objects. Each process is another shard, as a Pod is. Default: no. */
  readonly areShards?: boolean;
}

/** The operators of a story. As under a Deployment, another process replaces a dead process within four seconds. */
export interface Deployment {
  /** The processes so far. */
  readonly started: number;
  /** The changes that the processes were about to send. */
  readonly changes: number;
  /** The process that sent the last change, or another running process, dies. */
  kill(): void;
  /** The process that sent the last change, or another running process, freezes. */
  freeze(forMs: number): void;
  /** All processes are dead, and none follows until `resume`. */
  pause(): void;
  /** As a Deployment that is scaled up again. */
  resume(): void;
  /** As a Deployment that is scaled to a single replica: the process that sent the last change stays, if it runs. */
  retireStandBys(): void;
}

const restartMs = 4_000;
const graceMs = 20_000;

/** Starts the processes. */
export function deployment(world: SimulatedWorld, options: DeploymentOptions): Deployment {
  const { simulation, problems } = world;
  const { replicas, harmOf, aheadMs = () => 0, acceptedClusters, areShards = false } = options;
  const members: Member[] = [];
  let isPaused = false;
  let wanted = Math.max(replicas, 1);
  let changes = 0;
  let last: Member | undefined;
  // Without an election, a frozen process counts: nothing may act beside it.
  const counted = () =>
    members.filter(({ process: { state } }) =>
      replicas === 0 ? state !== 'dead' : state === 'running',
    );
  const ensure = () => {
    if (isPaused) return;
    while (counted().length < wanted) launch();
  };
  const ensureSoon = () =>
    void simulation.after(simulation.chance() * restartMs, undefined, 'restart', ensure);
  const launch = () => {
    const nth = members.length + 1;
    const process = simulatedProcess(`operator-${nth}`);
    const member: Member = {
      process,
      user: areShards ? shardUser : operatorUser,
      harmOf(change) {
        changes += 1;
        last = member;
        return harmOf(change);
      },
      die() {
        if (process.state === 'dead') return;
        simulation.note(`${process.name} dies`);
        process.kill();
        world.losses.push(simulation.now);
        ensureSoon();
      },
      freeze(forMs) {
        if (process.state !== 'running') return;
        simulation.note(`${process.name} freezes for ${forMs} ms`);
        process.freeze();
        world.losses.push(simulation.now);
        ensureSoon();
        simulation.after(forMs, undefined, `thaw of ${process.name}`, () => process.thaw());
      },
    };
    members.push(member);
    const name = `pod-${nth}`;
    const settings = { aheadMs: aheadMs(nth), acceptedClusters };
    if (areShards)
      void live(member, { ...settings, election: shardElection(name), shard: shardNamed(name) });
    else {
      const election = replicas === 0 ? undefined : electionOf(name);
      void live(member, { ...settings, election });
    }
  };
  /** As run-operator.ts does: a process that may not act any more ends. */
  const live = async (
    member: Member,
    settings: Parameters<SimulatedWorld['startOperator']>[1],
  ): Promise<void> => {
    try {
      const operator = await world.startOperator(member, settings);
      operator.started.catch(() => undefined); // it stops before it starts when it is lost
      await operator.lost;
      await operator.stop(graceMs);
    } catch (error) {
      problems.push(`${member.process.name} failed: ${String(error)}`);
    }
    outsideProcesses(() => member.die());
  };
  const resume = () => {
    isPaused = false;
    world.servedSince = simulation.now;
    ensure();
  };
  const acting = () => [last, ...members].find((member) => member?.process.state === 'running');
  resume();
  return {
    get started() {
      return members.length;
    },
    get changes() {
      return changes;
    },
    kill: () => acting()?.die(),
    freeze: (forMs) => acting()?.freeze(forMs),
    pause() {
      isPaused = true;
      world.servedSince = undefined;
      for (const { process } of members) process.kill();
    },
    resume,
    retireStandBys() {
      wanted = 1;
      const stays = acting();
      for (const member of members) if (member !== stays) member.die();
    },
  };
}
