import type { Step } from './step.ts';

/** A change that the cloud refused, or answered unclearly, and the step that reports it until the next try. */
export interface RefusedChange {
  readonly generation: number | undefined;
  /** Policy time of the next try. */
  readonly again: number;
  /** Refusals in a row. */
  readonly times: number;
  readonly step: Step;
}

/** The identity of a refused change. Another wanted value may be accepted. */
export function refusalKey(operation: string, wanted: string): string {
  return `${operation} ${wanted}`;
}
