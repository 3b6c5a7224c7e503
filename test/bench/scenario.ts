import type { Cloud } from './cloud.ts';
import type { Cluster } from './cluster.ts';
import type { Measured } from './budgets.ts';
import type { LargeFleet } from './large-fleet.ts';
import type { MeasuredOperator } from './operator.ts';

/** The common parts of all scenarios of a run. */
export interface Bench {
  readonly cluster: Cluster;
  readonly cloud: Cloud;
  /** Starts the bundle. @param kubernetes where the API server is said to be, when something stands in between */
  startOperator(
    namespace: string,
    settings?: Readonly<Record<string, string>>,
    kubernetes?: string,
  ): Promise<MeasuredOperator>;
  /** The fleet that all scenarios of this run share. */
  largeFleet(): Promise<LargeFleet>;
  /** Reports the progress to people. */
  say(words: string): void;
}

/** How much of a scenario is run. */
export interface Size {
  readonly count: number;
  readonly rounds: number;
  /** How long a soak goes on. */
  readonly minutes: number;
}

export interface Scenario {
  /** The size for its budgets. */
  readonly full: Omit<Size, 'minutes'>;
  run(bench: Bench, size: Size): Promise<readonly Measured[]>;
}

/** Seconds after which a wait for so many services has failed: a slow machine takes a tenth of it. */
export function patience(count: number): number {
  return 60 + count * 0.15;
}
