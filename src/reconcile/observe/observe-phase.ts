import type { View } from '../process/context.ts';
import type { ObservedResource, Situation } from '../situation/situation.ts';
import type { PlaceIn } from './observe-by-id.ts';
import { observeAdoption, sameNames } from './observe-creation.ts';
import { observeDeletion, type LookForDependents } from './observe-deletion.ts';
import type { ObservedObject } from './observe-object.ts';

const undeleted = { deletion: { requested: false, started: false, crdTerminating: false, dependents: [] } } as const;
const uncreated = { adoption: { state: 'notAsked' }, sameNames: { state: 'read', ids: [], unclaimed: [] } } as const;

/** The facts for a phase alone: the obstacles of a deletion, or the resources that a missing resource may be. */
export async function observePhase<T extends { readonly name?: string | undefined }>(
  observed: ObservedObject,
  cloud: ObservedResource<T>,
  placeIn: PlaceIn<T>,
  context: View,
  dependents: LookForDependents,
): Promise<Pick<Situation, 'deletion' | 'adoption' | 'sameNames'>> {
  if (observed.object.metadata.deletionTimestamp !== undefined)
    return { ...uncreated, deletion: await observeDeletion(observed, cloud, context, dependents) };
  if (cloud.state === 'present') return { ...undeleted, ...uncreated };
  const adoption = await observeAdoption(observed, cloud, placeIn, context);
  return { ...undeleted, adoption, sameNames: await sameNames(observed, placeIn, context) };
}
