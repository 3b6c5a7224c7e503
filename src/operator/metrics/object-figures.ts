import { hasReason, isUnseen, syncedOf, type HeldReason } from '../../resources/condition.ts';
import { heldChangesOf, typeOf, type ManagedObject } from '../../resources/managed-object.ts';

/** Of a service or a replica set; empty if it has none. An empty label is no label for Prometheus. */
export const environments = ['DEV', 'PROD', ''] as const;
type Environment = (typeof environments)[number];

/** `bound`: its object is there. `left`: its object is gone, so the operator does not manage the resource. */
export const entryStates = ['bound', 'left', 'unreadable'] as const;

/** The environment in the spec, otherwise the environment that the cloud showed last. */
export function environmentOf(object: ManagedObject): Environment {
  const { spec } = object;
  const asked = 'environment' in spec ? spec.environment : undefined;
  const environment = asked ?? typeOf(object).shownEnvironment(object);
  return environments.find((each) => each === environment) ?? '';
}

/**
 * Milliseconds for which this spec has waited, since the operator last began to reconcile it: before that, a rule of
 * users or a suspension may have held the change. Undefined if the spec is applied, or is left on purpose.
 */
export function unsyncedMs(object: ManagedObject, now: number): number | undefined {
  const synced = syncedOf(object);
  const isLeft =
    synced !== undefined &&
    synced.status !== 'True' &&
    !hasCondition(object, 'Reconciling') &&
    !hasCondition(object, 'Stalled');
  if (synced?.status === 'True' || isLeft) return undefined;
  const since =
    synced && !isUnseen(synced) ? synced.lastTransitionTime : object.metadata.creationTimestamp;
  const begin = Math.max(Date.parse(since ?? '') || now, reconcilingSince(object));
  return Math.max(0, now - begin);
}

/** Zero without the condition Reconciling of a visit. */
function reconcilingSince({ status }: ManagedObject): number {
  const working = status?.conditions?.find(({ type }) => type === 'Reconciling');
  return working && !isUnseen(working) ? Date.parse(working.lastTransitionTime) || 0 : 0;
}

/**
 * As {@link unsyncedMs}, but since the last progress: a condition's reason may change without a time, after a long
 * wait. Another try of the operator is no progress.
 */
export function withoutProgressMs(object: ManagedObject, now: number): number | undefined {
  const { metadata, status } = object;
  const steps = [metadata.deletionTimestamp, status?.stateSince, status?.lastOperation?.at];
  const progressAt = Math.max(0, ...steps.map((at) => Date.parse(at || '') || 0));
  const unsynced = unsyncedMs(object, now);
  return unsynced === undefined ? undefined : Math.min(unsynced, Math.max(0, now - progressAt));
}

/** The milliseconds for which each change of the object has been held. A stopped service would make no change anyway. */
export function heldForMs(
  object: ManagedObject,
  now: number,
): readonly { readonly reason: HeldReason; readonly ms: number }[] {
  if (hasReason(object, 'Stopped')) return [];
  return heldChangesOf(object).map(({ waitsFor, since }) => ({
    reason: waitsFor === 'Approval' ? 'WaitingForApproval' : 'WaitingForWindow',
    ms: Math.max(0, now - (Date.parse(since) || now)),
  }));
}

export function hasCondition(
  { status: { conditions = [] } = {} }: ManagedObject,
  wanted: 'Reconciling' | 'Stalled',
): boolean {
  return conditions.some(({ type, status }) => type === wanted && status === 'True');
}
