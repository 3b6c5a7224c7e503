import type { ManagedObject } from '../../resources/managed-object.ts';

/**
 * The effects of an edit that need no request to the cloud, as text. Pure.
 * @param before the object without the edit; undefined if it is new
 * @param after the object after the plan; undefined if it is gone
 */
export function notesOn(
  before: ManagedObject | undefined,
  after: ManagedObject | undefined,
): readonly string[] {
  if (!before || !after) return [];
  return [...protectionNotes(before, after), ...replicaNotes(before, after)];
}

function protectionNotes(before: ManagedObject, after: ManagedObject): readonly string[] {
  const [from, to] = [before.status?.onDelete, after.status?.onDelete];
  return from !== undefined && from !== 'Delete' && to === 'Delete'
    ? [`kubectl delete deletes the data from now on (status.onDelete: ${from} -> ${to})`]
    : [];
}

/** Replicas that leave the manifest stay in the cloud. */
function replicaNotes(before: ManagedObject, after: ManagedObject): readonly string[] {
  if (before.kind !== 'ManagedService' || after.kind !== 'ManagedService') return [];
  const isOmitted = before.spec.highAvailability && !after.spec.highAvailability;
  const { replicaCount = 0 } = after.status?.service?.haReplicas ?? {};
  return isOmitted && replicaCount > 0
    ? [`kept: ${replicaCount} high-availability replicas; replicaCount: 0 removes them`]
    : [];
}
