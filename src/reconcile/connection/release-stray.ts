import { annotations, connectionFinalizer } from '../../resources/annotations.ts';
import { managedServices, type ManagedService } from '../../resources/managed-service.ts';
import { replicaSets, type ReplicaSet } from '../../resources/replica-set.ts';
import type { Requeue } from '../../runtime/controller.ts';
import { resourceKey, type ResourceKey } from '../../runtime/kubernetes-object.ts';
import type { Context } from '../context.ts';
import { readRecord } from '../record.ts';
import { connectionAnnotations, type ConnectionSecret } from './connection-secret.ts';
import { pendingName } from './observe-secret.ts';
import { wantedSecretName } from './secret-name.ts';
import { idIn, letGo } from './store.ts';

const lookAgainMs = 60_000;

/**
 * Lets go a connection Secret that is being deleted and that no object will make again: a copy under another name, or one whose owner went without the
 * operator. Without this our finalizer, which such a copy carries, would hold it and its namespace for ever.
 */
export async function releaseStraySecret(key: ResourceKey, context: Pick<Context, 'kubernetes' | 'caches'>): Promise<Requeue> {
  const secret = context.caches.connectionSecrets.get(key);
  if (!secret?.metadata.deletionTimestamp || !secret.metadata.finalizers?.includes(connectionFinalizer)) return 'forget';
  const owner = await ownerOf(secret, context);
  if (owner && mayStillUse(owner, secret)) return { afterMs: lookAgainMs, resync: true };
  await letGo(key, secret.metadata.uid, context);
  return 'forget';
}

/** Read live: a cache may not hold yet what was restored just now. */
async function ownerOf(
  { metadata }: ConnectionSecret,
  { kubernetes }: Pick<Context, 'kubernetes'>,
): Promise<ManagedService | ReplicaSet | undefined> {
  const [kind, name] = metadata.annotations?.[connectionAnnotations.owner]?.split('/') ?? [];
  if (name === undefined || name === '') return undefined;
  const key = resourceKey(metadata.namespace, name);
  if (kind === 'ManagedService') return kubernetes.get(managedServices, key);
  return kind === 'ReplicaSet' ? kubernetes.get(replicaSets, key) : undefined;
}

/** Whether it has one of the names that the object may still do something with, and is about the object's resource, as far as one can tell. */
function mayStillUse(owner: ManagedService | ReplicaSet, secret: ConnectionSecret): boolean {
  const read = readRecord(owner.metadata.annotations?.[annotations.record]);
  if (read.state === 'unreadable') return true;
  const { id = owner.status?.id, replaces, secretName, previousSecretName } = read.state === 'read' ? read.record : {};
  const about = idIn(secret);
  const isAboutAnother = about !== undefined && id !== undefined && about !== id && about !== replaces;
  const names = [wantedSecretName(owner), secretName, previousSecretName, owner.status?.binding?.name];
  const isNamed = names.some((name) => name !== undefined && [name, pendingName(name)].includes(secret.metadata.name));
  return isNamed && !isAboutAnother;
}
