import { isUnseen, syncedOf } from '../../resources/condition.ts';
import { typeOf, type ManagedObject } from '../../resources/managed-object.ts';

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

/** Milliseconds for which this spec has waited. Undefined if it is applied, or is left on purpose. */
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
  return Math.max(0, now - (Date.parse(since ?? '') || now));
}

/**
 * As {@link unsyncedMs}, but since the last progress: a condition's reason may change without a time, after a long
 * wait. Another try of the operator is no progress.
 */
export function withoutProgressMs(object: ManagedObject, now: number): number | undefined {
  const { metadata, status } = object;
  const working = status?.conditions?.find(({ type }) => type === 'Reconciling');
  const steps = [
    working && !isUnseen(working) && working.lastTransitionTime,
    metadata.deletionTimestamp,
    status?.stateSince,
    status?.lastOperation?.at,
  ];
  const progressAt = Math.max(0, ...steps.map((at) => Date.parse(at || '') || 0));
  const unsynced = unsyncedMs(object, now);
  return unsynced === undefined ? undefined : Math.min(unsynced, Math.max(0, now - progressAt));
}

export function hasCondition(
  { status: { conditions = [] } = {} }: ManagedObject,
  wanted: 'Reconciling' | 'Stalled',
): boolean {
  return conditions.some(({ type, status }) => type === wanted && status === 'True');
}
