import type { CloudError } from '../../cloud/cloud-error.ts';
import type { Keep, Stall, WaitOrStall, Step } from './step.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/** `from` and `wanted` are values as text for people. */
export interface Accepted {
  readonly operation: string;
  readonly wanted: string;
  readonly from?: string;
}

/** Facts about a password call that only this process knows, for its next visit. Losing them costs time, never safety. */
export interface Remembrance {
  /** Policy time of a password call without an answer. The cloud may still carry it out. */
  readonly passwordUnansweredAt?: number;
  /** The resourceVersion of the ledger entry whose next password this process wrote, and has not sent. */
  readonly neverSent?: string;
}

/** `object` is the object as the API server last returned it. */
export type Outcome =
  /** The step changed nothing. */
  | { readonly type: 'nothing' }
  /** The object is released: no later visit follows. */
  | { readonly type: 'released'; readonly object: ManagedObject }
  /** Carried out. `accepted` is the change in the cloud that may take time to show. */
  | { readonly type: 'done'; readonly object: ManagedObject; readonly accepted?: Accepted }
  /** The cloud refused the call or did not answer. */
  | {
      readonly type: 'failed';
      readonly error: CloudError;
      readonly object: ManagedObject;
      readonly attempt?: string;
      readonly change?: Accepted;
      readonly remember?: Remembrance;
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

/** The change that the step did not make. Undefined if the step was about no change, or if another writer was faster. */
export function failedChange(outcome: Outcome): Accepted | undefined {
  return 'change' in outcome ? outcome.change : undefined;
}

/**
 * The accepted change as status records it, with its time and the generation that requested it.
 */
export function acceptedAt(accepted: Accepted, { metadata }: ManagedObject, now: number) {
  return { ...accepted, generation: metadata.generation, at: new Date(now).toISOString() };
}

/** A change that the cloud refused, or answered unclearly, and the step that reports it until the next try. */
export interface RefusedChange {
  readonly generation: number | undefined;
  /** Policy time of the next try. */
  readonly again: number;
  readonly times: number;
  /** The cloud may have made, or may be making, the change. Otherwise it refused the change. */
  readonly isUnclear: boolean;
  /** The report until the next try. It does not say whether the answer is unclear. */
  readonly step: Step;
}

/** Another wanted value may be accepted. */
export function refusalKey(operation: string, wanted: string): string {
  return `${operation} ${wanted}`;
}
