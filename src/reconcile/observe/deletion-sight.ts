import { apiGroup } from '../../resources/api-group.ts';
import { resourceKey } from '../../runtime/kubernetes-object.ts';
import type { Context } from '../context.ts';
import { isDeletionStarted } from '../deletion-started.ts';
import { customResourceDefinitions } from '../custom-resource-definition.ts';
import type { DeletionSight, ManagedObject } from '../situation.ts';
import type { ObjectSight } from './observe-object.ts';

const plurals: Readonly<Record<ManagedObject['kind'], string>> = {
  ManagedVpc: 'managedvpcs',
  ManagedService: 'managedservices',
  ReplicaSet: 'readreplicasets',
};

/** What stands in the way of a deletion. Read only when one was asked for; the CRD live, each time, since all databases may hang on it. */
export async function deletionSight(
  sight: ObjectSight,
  context: Context,
  dependents: () => Promise<DeletionSight['dependents']>,
): Promise<DeletionSight> {
  const { metadata, kind } = sight.object;
  if (!metadata.deletionTimestamp) return { requested: false, started: false, crdTerminating: false, dependents: [] };
  const started = sight.identity.state === 'known' && isDeletionStarted(sight.identity.id, sight.object, sight.record);
  const asks = sight.usable !== undefined && sight.identity.state === 'known';
  const definition =
    asks && !started
      ? await context.kubernetes.get(customResourceDefinitions, resourceKey(undefined, `${plurals[kind]}.${apiGroup}`))
      : undefined;
  return {
    requested: true,
    started,
    crdTerminating: definition?.metadata.deletionTimestamp !== undefined,
    dependents: asks ? await dependents() : undefined,
  };
}
