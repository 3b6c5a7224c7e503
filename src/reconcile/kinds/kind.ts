import type { ListPoller } from '../../cloud/list-poller.ts';
import type { ProjectLists } from '../../cloud/project-observer.ts';
import type { Condition } from '../../resources/condition.ts';
import type { ManagedType } from '../../resources/managed-object.ts';
import type { ResourceKey } from '../../runtime/index.ts';
import type { Account } from '../credentials/accounts.ts';
import type { View } from '../wiring/context.ts';
import type { Observation } from '../observe/sources.ts';
import type { Facts, Situation } from '../situation/situation.ts';
import type { Step } from '../step/step.ts';

/** The reason and the message of a Ready condition that is True. */
export type Serving = Pick<Condition, 'reason' | 'message'>;

/** The parts of a kind; the pipeline around them is the same for all kinds. */
export interface KindReconciler<S extends Situation, F extends Facts = Facts> {
  readonly type: ManagedType<S['object']['kind']>;
  /**
   * The list that shows its resources.
   * @param parentId the first id in the path of a create or a delete: the parent, for a kind that is listed by
   * its parent
   */
  list(
    lists: ProjectLists,
    parentId: string | undefined,
  ): ListPoller<{ readonly name?: string | undefined }>;
  /** Reads everything that the rules need, and changes nothing. Undefined when the object is gone. */
  observe(key: ResourceKey, view: View): Promise<Observation<F> | undefined>;
  /** The same facts with the resource as the cloud shows it alone. The answer goes into the snapshot. */
  reread(facts: F, account: Account): Promise<F>;
  /** The situation that follows from the facts. Pure. */
  situationOf(facts: F): S;
  /** The whole policy. Pure. */
  decide(situation: S): Step;
  /**
   * The Ready condition while an app can connect to the resource, or while a service is stopped as its spec
   * requests; otherwise undefined. Called for a resource that the cloud shows.
   */
  serving(situation: S): Serving | undefined;
  /** The part of status that mirrors the cloud, if the resource was read. Undefined fields are removed. */
  mirror(situation: S): object;
  /** The values whose change in the cloud is drift, by their path in the spec. Called for a resource that the cloud shows. */
  driftFields(situation: S): Readonly<Record<string, unknown>>;
}
