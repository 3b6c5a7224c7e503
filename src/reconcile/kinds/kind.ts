import type { ListPoller } from '../../cloud/list-poller.ts';
import type { ResourceKey } from '../../runtime/index.ts';
import type { SecretSight } from '../situation/secret-sight.ts';
import type { View } from '../process/context.ts';
import type { Situation } from '../situation/situation.ts';
import type { Step } from '../step/step.ts';
import type { PendingChange } from '../decide/pending-change.ts';
import type { ManagedType } from '../../resources/managed-object.ts';

/** The parts of a kind: observation, policy and status. The pipeline around them is the same for all kinds. */
export interface KindReconciler<S extends Situation> {
  readonly type: ManagedType<S['object']['kind']>;
  /** Reads everything that the rules need, and writes nothing. Undefined when the object is gone. */
  observe(key: ResourceKey, context: View): Promise<S | undefined>;
  /** The whole policy. Pure. */
  decide(situation: S): Step;
  /** The part of status that mirrors the cloud, if the resource was read. Undefined fields are removed. */
  mirror(situation: S): object;
  /**
   * The values in a status, or in its mirror part, whose change in the cloud is reported as drift. A new field must be undefined if status lacks it, not a
   * default: the status of an earlier version would otherwise look like a changed value.
   */
  driftFields(situation: S, status: object): Readonly<Record<string, unknown>>;
  /** The values in the spec that differ from the cloud. */
  pendingChanges(situation: S): readonly PendingChange[];
  /** The environment tag that decides about deletion protection. */
  environmentOf(situation: S): string | undefined;
  /** Whether the cloud has finished its work on the resource, so that an accepted change has had its effect. */
  isAtRest(situation: S): boolean;
  /** The list that contains the resource. */
  listOf(situation: S): ListPoller<unknown> | undefined;
  /** The list that shows its progress, if it is another one. */
  progressListOf?(situation: S): ListPoller<unknown> | undefined;
  /** The connection Secret; undefined for a kind without one. */
  secretOf(situation: S): SecretSight | undefined;
}

/** The list that shows the progress of the cloud's work on a resource. */
export function progressListOf<S extends Situation>(kind: KindReconciler<S>, situation: S): ListPoller<unknown> | undefined {
  return kind.progressListOf?.(situation) ?? kind.listOf(situation);
}
