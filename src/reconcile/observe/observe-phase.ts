import { CloudError, orCloudError } from '../../cloud/cloud-error.ts';
import type { ListPoller } from '../../cloud/list-poller.ts';
import type {
  Dependent,
  Facts,
  ObservedDeletion,
  ObservedResource,
} from '../situation/situation.ts';
import type { Interest } from '../wiring/list-subscriptions.ts';
import type { View } from '../wiring/context.ts';
import { isDeletionStarted, isAbsenceUnsure, isAwaitingEffect } from '../situation/history.ts';
import type { CloudPlaceIn } from './observe-by-id.ts';
import { observeAdoption, sameNames } from './observe-creation.ts';
import type { ObservedObject } from './observe-object.ts';
import { hasReason } from '../../resources/condition.ts';

const undeleted = {
  deletion: { requested: false, started: false, crdTerminating: false, dependents: [] },
} as const;
const uncreated = {
  adoption: { state: 'notAsked' },
  sameNames: { state: 'read', ids: [], unclaimed: [] },
} as const;

/** The resource of an object in the cloud, and the places where a kind looks for others. */
interface InCloud<T> {
  readonly cloud: ObservedResource<T>;
  /** The list for resources that the object may take over. */
  readonly placeIn: CloudPlaceIn<T>;
  readonly dependents: LookForDependents;
}

/** The facts for a phase, and the lists that show the end of a wait. */
interface ObservedPhase {
  readonly phase: Pick<Facts, 'deletion' | 'adoption' | 'sameNames'>;
  readonly interests: readonly Interest[];
}

/** A dependent, and the list that shows it: a change there wakes the object that is being deleted. */
export interface ListedDependent extends Dependent {
  readonly list: ListPoller<unknown>;
}

/** The facts for a phase alone: the obstacles of a deletion, or the resources that a missing resource may be. */
export async function observePhase<T extends { readonly name?: string | undefined }>(
  observed: ObservedObject,
  { cloud, placeIn, dependents }: InCloud<T>,
  context: View,
): Promise<ObservedPhase> {
  if (observed.object.metadata.deletionTimestamp !== undefined) {
    const { deletion, interests } = await observeDeletion(observed, cloud, context, dependents);
    return { phase: { ...uncreated, deletion }, interests };
  }
  if (cloud.state === 'present') return { phase: { ...undeleted, ...uncreated }, interests: [] };
  const adoption = await observeAdoption(observed, cloud, placeIn, context);
  const names = await sameNames(observed, placeIn, context);
  return { phase: { ...undeleted, adoption, sameNames: names }, interests: [] };
}

/** Dependents are observed anew before a deletion continues; calls within this time share an observation. */
const freshMs = 2_000;

/** Looks for dependents in lists that began at or after a policy time. Undefined if the lists cannot show the dependents. */
type LookForDependents = (notBefore: number) => Promise<readonly ListedDependent[] | undefined>;

/**
 * The CRD is read after the object's deletion was seen, as the last obstacle: its deletion would delete all databases,
 * and the reader throws if it is older than the operator.
 */
async function observeDeletion(
  observed: ObservedObject,
  cloud: ObservedResource<unknown>,
  context: View,
  dependents: LookForDependents,
): Promise<{ readonly deletion: ObservedDeletion; readonly interests: readonly Interest[] }> {
  const { id } = observed.record;
  const started = isDeletionStarted(observed);
  const asks = observed.usable !== undefined && id !== undefined;
  const holders = asks
    ? await dependentsHolding(observed, { cloud, started }, context, dependents)
    : undefined;
  const definition =
    holders && !started
      ? await context.definitionOf(observed.object.kind, observed.object)
      : undefined;
  const crdTerminating = definition?.metadata.deletionTimestamp !== undefined;
  const isRead = holders !== undefined && !(holders instanceof CloudError);
  return {
    deletion: {
      requested: true,
      started,
      crdTerminating,
      dependents: isRead ? holders.map((each) => withEnd(each, context.caches)) : holders,
    },
    interests: isRead ? holders.map((each) => ({ list: each.list, ids: [each.id] })) : [],
  };
}

/** The dependents that hold the resource now, with as few lists as possible. */
export async function dependentsHolding(
  {
    object,
    record: { id },
    notBefore,
    lastOperation,
  }: Pick<ObservedObject, 'object' | 'record' | 'notBefore' | 'lastOperation'>,
  {
    cloud,
    started,
  }: { readonly cloud: ObservedResource<unknown> } & Pick<ObservedDeletion, 'started'>,
  { clock }: Pick<View, 'clock'>,
  dependents: LookForDependents,
): Promise<readonly ListedDependent[] | CloudError | undefined> {
  if (id === undefined || !isDeleteDue(cloud, id, started, lastOperation)) return [];
  // A known dependent wakes this object when it changes.
  const isBlocked = hasReason(object, 'DeletionBlocked') && notBefore === 0;
  const before = isBlocked ? await orCloudError(dependents(0)) : [];
  return before instanceof CloudError || before?.length
    ? before
    : orCloudError(dependents(clock.now() - freshMs));
}

/** The dependence of a resource that is being deleted ends without a user's action. */
function withEnd({ list, ...dependent }: ListedDependent, caches: View['caches']): Dependent {
  const { owner, id } = dependent;
  const item = list.latest?.items.get(id);
  const isLeaving = item !== undefined && list.isLeaving(item);
  const object = owner && caches.of(owner.kind).get(owner.key);
  // The open create of an object that is gone holds for ten minutes at most.
  const isOwnerLeaving =
    owner !== undefined &&
    (object === undefined || object.metadata.deletionTimestamp !== undefined);
  return {
    ...dependent,
    endsByItself: dependent.endsByItself === true || isLeaving || isOwnerLeaving,
  };
}

function isDeleteDue(
  cloud: ObservedResource<unknown>,
  id: string,
  started: boolean,
  last: ObservedObject['lastOperation'],
): boolean {
  if (cloud.state === 'absent') return isAbsenceUnsure(id, started, last);
  return cloud.state === 'present' && !isAwaitingEffect(last, 'delete', id, cloud.asOf);
}
