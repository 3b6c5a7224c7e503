import type { ListPoller } from '../../cloud/list-poller.ts';
import type { ResourceKey } from '../../runtime/index.ts';
import type { SecretSight } from '../situation/secret-sight.ts';
import type { View } from '../process/context.ts';
import type { Situation } from '../situation/situation.ts';
import type { Step } from '../step/step.ts';
import type { PendingChange } from '../decide/pending-change.ts';
import type { ManagedType } from '../../resources/managed-object.ts';

/** What makes a kind: how it is observed, what is decided, and how that shows. The pipeline does the rest, the same for all. */
export interface KindReconciler<S extends Situation> {
  readonly type: ManagedType<S['object']['kind']>;
  /** Reads everything that the rules need, writes nothing. Undefined when the object is gone. */
  observe(key: ResourceKey, context: View): Promise<S | undefined>;
  /** Pure: the whole policy. */
  decide(situation: S): Step;
  /** The part of status that mirrors the cloud, when it was seen; undefined fields are removed. */
  mirror(situation: S): object;
  /**
   * Of a status, or the part of it that mirrors the cloud: what people would want to be told of, should somebody change it elsewhere. A field that is new
   * in a version is undefined where status lacks it, and not a default: a status that an earlier version wrote would else look like another value.
   */
  driftFields(situation: S, status: object): Readonly<Record<string, unknown>>;
  /** What the spec names and the cloud does not show. */
  pendingChanges(situation: S): readonly PendingChange[];
  /** The tag that protection goes by. */
  environmentOf(situation: S): string | undefined;
  /** The cloud is not at work on it: a change that was accepted has come to its end. */
  isAtRest(situation: S): boolean;
  /** The list in which the resource shows. */
  listOf(situation: S): ListPoller<unknown> | undefined;
  /** The list in which its progress shows, when that is another one. */
  progressListOf?(situation: S): ListPoller<unknown> | undefined;
  /** The connection Secret; undefined for a kind without one. */
  secretOf(situation: S): SecretSight | undefined;
}

/** Where the progress of what the cloud does to a resource shows. */
export function progressListOf<S extends Situation>(kind: KindReconciler<S>, situation: S): ListPoller<unknown> | undefined {
  return kind.progressListOf?.(situation) ?? kind.listOf(situation);
}
