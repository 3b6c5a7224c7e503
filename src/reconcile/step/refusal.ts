import type { Step } from './step.ts';
import type { CloudError } from '../../cloud/cloud-error.ts';
import type { ReconcilingReason, StalledReason } from '../../resources/condition.ts';
import { backOffMs } from '../../runtime/index.ts';
import { consequenceOf } from './consequence.ts';

/** A create that the cloud answered with no. Kept in status: it closes the attempt of that id, and paces the next. */
export interface Refusal {
  readonly attempt: string;
  /** Refusals in a row; 0 when what caused it was seen and waited for since. */
  readonly failures: number;
  /** RFC 3339, policy time. */
  readonly at: string;
  readonly message: string;
  readonly stalled?: StalledReason | undefined;
  readonly waiting?: ReconcilingReason | undefined;
}

const retry = { firstMs: 10_000, longestMs: 600_000 };

/** 10 s, doubling to 10 min; what only a person can mend waits the full ten minutes. */
export function refusalDelayMs({ failures, stalled }: Pick<Refusal, 'failures' | 'stalled'>): number {
  if (stalled === 'Rejected') return retry.longestMs;
  if (failures === 0) return 0;
  return backOffMs(Math.max(failures - 1, 0), retry, 0);
}

export function refusalOf(error: CloudError, attempt: string, message: string, earlier: Refusal | undefined, now: number): Refusal {
  const consequence = consequenceOf(error);
  return {
    attempt,
    failures: (earlier?.failures ?? 0) + 1,
    at: new Date(now).toISOString(),
    message,
    ...(consequence.type === 'stall' ? { stalled: consequence.reason } : { waiting: consequence.reason }),
  };
}

/** A change that the cloud refused, and the step that says so until it is tried again. */
export interface RefusedChange {
  readonly generation: number | undefined;
  /** Policy time. */
  readonly again: number;
  /** How often in a row. */
  readonly times: number;
  /** Policy time of an answer that was not a clear no. */
  readonly unclearAt?: number;
  readonly step: Step;
}

/** A change is known by what was asked for: another value may be taken. */
export function refusalKey(operation: string, wanted: string): string {
  return `${operation} ${wanted}`;
}
