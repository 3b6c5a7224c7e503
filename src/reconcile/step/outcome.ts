import type { CloudError } from '../../cloud/cloud-error.ts';
import type { Step, Told } from './step.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/** A change that the cloud took on; `from` and `wanted` are values as people read them. */
export interface Accepted {
  readonly operation: string;
  readonly wanted: string;
  readonly from?: string;
}

/** What became of a step. `object` is the object as the API server last returned it. */
export type Outcome =
  /** The step changes nothing. */
  | { readonly type: 'nothing' }
  /** Carried out; `accepted` names the change of the cloud that may take a while to show. */
  | { readonly type: 'done'; readonly object: ManagedObject; readonly accepted?: Accepted }
  /** The cloud said no, or nothing. */
  | {
      readonly type: 'failed';
      readonly error: CloudError;
      readonly object: ManagedObject;
      readonly attempt?: string;
      readonly change?: Accepted;
    }
  /** Only a person can help: found out while doing it. */
  | {
      readonly type: 'stalled';
      readonly step: Extract<Step, { type: 'stall' }>;
      readonly object: ManagedObject;
      readonly change?: Accepted;
    }
  /** Kubernetes did not take a write, and what counts on it was not done. */
  | {
      readonly type: 'hindered';
      readonly step: Told | Extract<Step, { type: 'keep' }>;
      readonly object: ManagedObject;
      readonly change?: Accepted;
    }
  /** Somebody else wrote in between: everything is observed again. `step` says so, once that lasts. */
  | { readonly type: 'overtaken'; readonly step: Extract<Step, { type: 'keep' }> };

/** The object as the API server last returned it; undefined when it was not written. */
export function objectAfter(outcome: Outcome): ManagedObject | undefined {
  return outcome.type === 'nothing' || outcome.type === 'overtaken' ? undefined : outcome.object;
}

/** A change that the cloud accepted, as status keeps it. @param now policy time */
export function acceptedAt(accepted: Accepted, now: number) {
  return { ...accepted, at: new Date(now).toISOString() };
}
