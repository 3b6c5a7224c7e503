import type { CloudChange } from '../step/cloud-change.ts';
import type { Step } from '../step/step.ts';

/** A difference between spec and cloud, and the step that removes it. */
export interface PendingChange {
  /** The name for users, such as `size` or `environment`. */
  readonly name: string;
  /** The path in the spec, as in reports of drift: `cpuMillis/memoryGbs`. */
  readonly path?: string;
  /** The values, for people. */
  readonly from?: string;
  readonly wanted?: string;
  readonly step: Step;
  /** The operation in the cloud; undefined if the change needs none. */
  readonly operation?: CloudChange['operation'];
  /** The state of the resource does not allow the change now. */
  readonly isPostponed?: boolean;
  /** The change is not possible now, and others go first. Milliseconds until the next try. */
  readonly passForMs?: number;
}
