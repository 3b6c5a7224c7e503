import { CloudError, orCloudError } from '../../cloud/cloud-error.ts';
import type { CloudSight } from '../situation/cloud-sight.ts';
import type { View } from '../process/context.ts';
import { isDeletionStarted } from '../situation/recreation.ts';
import { isSettling } from '../situation/last-operation.ts';
import type { Dependent, DeletionSight } from '../situation/situation.ts';
import type { ObjectSight } from './observe-object.ts';
import { readyOf } from '../../resources/condition.ts';

/** Dependents are observed anew before a deletion continues; calls within this time share one observation. */
const freshMs = 2_000;

/** Finds the existing resources that depend on this one, by lists that began at or after a policy time. Undefined if the lists cannot tell. */
export type LookForDependents = (notBefore: number) => Promise<readonly Dependent[] | undefined>;

/** Observes the obstacles of a deletion, if one was requested. The CRD is read live each time: its deletion would delete all databases. */
export async function deletionSight(
  sight: ObjectSight,
  cloud: CloudSight<unknown>,
  context: View,
  dependents: LookForDependents,
): Promise<DeletionSight> {
  const { metadata, kind } = sight.object;
  if (!metadata.deletionTimestamp) return { requested: false, started: false, crdTerminating: false, dependents: [] };
  const started = sight.identity.state === 'known' && isDeletionStarted(sight.identity.id, sight.object, sight.record);
  const asks = sight.usable !== undefined && sight.identity.state === 'known';
  const definition = asks && !started ? await context.definitionOf(kind) : undefined;
  return {
    requested: true,
    started,
    crdTerminating: definition?.metadata.deletionTimestamp !== undefined,
    dependents: asks ? await heldBy(sight, cloud, context, dependents) : undefined,
  };
}

async function heldBy(
  { object, identity, notBefore, lastOperation }: ObjectSight,
  cloud: CloudSight<unknown>,
  { clock }: View,
  dependents: LookForDependents,
): Promise<DeletionSight['dependents']> {
  const isHoldable = cloud.state === 'present' && identity.state === 'known';
  // A DELETE that the cloud accepted needs no further checks.
  if (!isHoldable || isSettling(lastOperation, 'delete', identity.id, cloud.asOf)) return [];
  // A known dependent wakes this object when it changes.
  const isBlocked = readyOf(object)?.reason === 'DeletionBlocked' && notBefore === 0;
  const before = isBlocked ? await orCloudError(dependents(0)) : [];
  return before instanceof CloudError || before?.length ? before : orCloudError(dependents(clock.now() - freshMs));
}
