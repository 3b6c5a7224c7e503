import type { CloudChange } from '../step/cloud-change.ts';
import type { Step } from '../step/step.ts';

/** Something that the spec names and the cloud does not show, and the step that brings it there. */
export interface PendingChange {
  /** What the user calls it: `size`, `environment`. */
  readonly name: string;
  /** Where it stands in the spec, as drift is told by it: `cpuMillis/memoryGbs`. */
  readonly path?: string;
  /** The values, for people. */
  readonly from?: string;
  readonly wanted?: string;
  readonly step: Step;
  /** What the cloud is asked for; undefined where it is not. */
  readonly operation?: CloudChange['operation'];
  /** The cloud's state does not allow it now. */
  readonly isPostponed?: boolean;
  /** It cannot be brought about now, and the others go on; it is tried again after so many milliseconds. */
  readonly passForMs?: number;
}
