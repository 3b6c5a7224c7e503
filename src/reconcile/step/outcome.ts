import type { CloudError } from '../../cloud/cloud-error.ts';
import type { Keep, Stall, WaitOrStall, Step } from './step.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { ReconcilingReason, StalledReason } from '../../resources/condition.ts';
import { backOffMs } from '../../runtime/index.ts';

/** `from` and `wanted` are values as text for people. */
export interface Accepted {
  readonly operation: string;
  readonly wanted: string;
  readonly from?: string;
}

/** `object` is the object as the API server last returned it. */
export type Outcome =
  /** The step changed nothing. */
  | { readonly type: 'nothing' }
  /** Carried out. `accepted` is the change in the cloud that may take time to show. */
  | { readonly type: 'done'; readonly object: ManagedObject; readonly accepted?: Accepted }
  /** The cloud refused the call or did not answer. */
  | {
      readonly type: 'failed';
      readonly error: CloudError;
      readonly object: ManagedObject;
      readonly attempt?: string;
      readonly change?: Accepted;
    }
  /** Only a person can help, which was found while the step was carried out. */
  | {
      readonly type: 'stalled';
      readonly step: Stall;
      readonly object: ManagedObject;
      readonly change?: Accepted;
    }
  /** Kubernetes refused or failed a write, and nothing that depends on it was done. */
  | {
      readonly type: 'writeFailed';
      readonly step: WaitOrStall | Keep;
      readonly object: ManagedObject;
      readonly change?: Accepted;
    }
  /** Everything is observed again: another writer was faster (`step` reports it if that lasts), or a read failed (reported at once). */
  | { readonly type: 'conflict'; readonly step: WaitOrStall | Keep };

/** Undefined when the object was not written. */
export function objectAfter(outcome: Outcome): ManagedObject | undefined {
  return outcome.type === 'nothing' || outcome.type === 'conflict' ? undefined : outcome.object;
}

export function acceptedAt(accepted: Accepted, { metadata }: ManagedObject, now: number) {
  return { ...accepted, generation: metadata.generation, at: new Date(now).toISOString() };
}

/** A change that the cloud refused, or answered unclearly, and the step that reports it until the next try. */
export interface RefusedChange {
  readonly generation: number | undefined;
  /** Policy time of the next try. */
  readonly again: number;
  readonly times: number;
  readonly step: Step;
}

/** Another wanted value may be accepted. */
export function refusalKey(operation: string, wanted: string): string {
  return `${operation} ${wanted}`;
}

/**
 * A create that the cloud refused, or answered unclearly (`waiting` is `ResolvingCreate`). It delays the next
 * create. In status it is `refusal`.
 */
export interface FailedCreate {
  /** The cloud may answer another spec differently. */
  readonly generation?: number | undefined;
  /** Such answers in a row. */
  readonly failures: number;
  /** RFC 3339, policy time. */
  readonly at: string;
  readonly message: string;
  readonly stalled?: StalledReason | undefined;
  readonly waiting?: ReconcilingReason | undefined;
}

const retry = { firstMs: 10_000, longestMs: 600_000 };

/** 10 s, doubling to 10 min. A refusal that only a person can end waits the full ten minutes. */
export function nextCreateInMs({
  failures,
  stalled,
}: Pick<FailedCreate, 'failures' | 'stalled'>): number {
  if (stalled === 'Rejected') return retry.longestMs;
  return backOffMs(failures - 1, retry, 0);
}

/** @param step the report of the answer, which stays until the next answer */
export function failedCreate(
  { type, reason, message }: WaitOrStall,
  generation: number,
  earlier: FailedCreate | undefined,
  now: number,
): FailedCreate {
  return {
    generation,
    failures: (earlier?.failures ?? 0) + 1,
    at: new Date(now).toISOString(),
    message,
    ...(type === 'stall' ? { stalled: reason } : { waiting: reason }),
  };
}
