import { type Deployment, deployment } from './deployment.ts';
import type { Change } from './network.ts';
import { simulation } from './scheduler.ts';
import { type Sharder, sharder } from './sharder.ts';
import { stories } from './stories.ts';
import type { Story } from './stories/story.ts';
import { enter } from './virtual-globals.ts';
import { type Harm, type Weather, weathers } from './weather.ts';
import { type SimulatedWorld, startWorld } from './world.ts';

export type StoryName = keyof typeof stories;

/** Everything that decides a life, except its story. */
export interface Conditions {
  readonly seed: number;
  readonly weather: keyof typeof weathers;
  /** Processes with an election. 0: a single process without an election. */
  readonly replicas: number;
  readonly listLagMs: number;
  /** The policy clocks of the processes are up to an hour apart. */
  readonly clocksApart: boolean;
  readonly keepsTrace?: boolean;
  /** Default: info. */
  readonly logLevel?: 'debug' | 'info';
}

/** Everything that decides a life: the same plan gives the same life. */
export interface Plan extends Conditions {
  readonly story: StoryName;
  /** The harm to a single change, by its index in the life. */
  readonly crash?: { readonly index: number; readonly harm: Harm } | undefined;
}

export interface Life {
  readonly digest: string;
  readonly events: number;
  readonly virtualSeconds: number;
  readonly processes: number;
  /** The changes of the operators in order. */
  readonly changes: readonly Change[];
  /** Empty if all promises were kept. */
  readonly problems: readonly string[];
  readonly trace: readonly string[];
  readonly log: readonly string[];
}

const shardCount = 3;
const hourMs = 3_600_000;

/** Lives a story in a simulation of its own. Never throws. */
export function live(plan: Plan): Promise<Life> {
  return liveStory(stories[plan.story], plan);
}

/** As {@link live}, with any story. */
export async function liveStory(
  story: Story,
  plan: Conditions & Pick<Plan, 'crash'>,
): Promise<Life> {
  const sim = simulation(plan.seed, { keepsTrace: plan.keepsTrace ?? false });
  enter(sim);
  const changes: Change[] = [];
  const weather: Weather = weathers[plan.weather];
  const play = async () => {
    const { logLevel } = plan;
    const cloud = { listLagMs: plan.listLagMs };
    const world = await startWorld({ simulation: sim, cloud, logLevel });
    const deployed: Deployment[] = [];
    let shared: Sharder | undefined;
    const operate = (
      cluster: SimulatedWorld,
      acceptedClusters: readonly string[] = [],
      areShards = false,
    ) => {
      cluster.network.weather = weather;
      const operators = deployment(cluster, {
        replicas: areShards ? shardCount : plan.replicas,
        areShards,
        harmOf(change) {
          const harm = changes.length === plan.crash?.index ? plan.crash.harm : undefined;
          changes.push(change);
          return harm;
        },
        aheadMs: (nth) => (plan.clocksApart ? ((nth % 3) - 1) * hourMs : 0),
        acceptedClusters,
      });
      deployed.push(operators);
      return operators;
    };
    try {
      await story(world, {
        operators: operate(world),
        isHarmed: plan.crash !== undefined,
        anotherCluster: () => startWorld({ simulation: sim, besides: world, logLevel }),
        operate: (cluster, acceptedClusters) => operate(cluster, acceptedClusters),
        share() {
          for (const operators of deployed) operators.pause();
          operate(world, [], true);
          // An object of a dead shard waits for longer than a report may take.
          world.servedSince = undefined;
          return (shared = sharder(world));
        },
      });
      // A late thaw must find nothing to spoil.
      if (plan.crash && 'forMs' in plan.crash.harm) await world.letPass(plan.crash.harm.forMs);
    } catch (error) {
      world.problems.push(String(error));
    }
    shared?.stop();
    for (const operators of deployed) operators.pause();
    const processes = deployed.reduce((sum, { started }) => sum + started, 0);
    return { processes, problems: world.problems, log: world.log };
  };
  const begun = sim.now;
  const lived = await sim.run(play()).catch((error: unknown) => ({
    processes: 0,
    problems: [String(error)],
    log: [],
  }));
  return {
    ...lived,
    digest: sim.digest(),
    events: sim.events,
    virtualSeconds: Math.round((sim.now - begun) / 1_000),
    changes,
    trace: sim.trace,
  };
}

/** @param plan of a life without a crash @returns the plans with each harm at each change */
export function crashPoints(
  plan: Plan,
  changes: readonly Change[],
  harms: Readonly<Record<string, Harm>>,
): readonly (Plan & { readonly name: string })[] {
  return changes.flatMap(({ name }, index) =>
    Object.entries(harms).map(([kind, harm]) => ({
      ...plan,
      crash: { index, harm },
      // A frozen process needs a standby process to be harmful.
      replicas: 'forMs' in harm ? 2 : plan.replicas,
      name: `[${index} ${name}] ${kind}`,
    })),
  );
}
