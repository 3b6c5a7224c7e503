import { connectionFinalizer } from '../../resources/annotations.ts';
import { isKind, resourceTypes, type ManagedObject } from '../../resources/managed-object.ts';
import { hasFinalizer, keyOf, KubernetesError, resourceKey, type Requeue, type ResourceKey } from '../../runtime/index.ts';
import type { Context, View } from '../process/context.ts';
import { identityOf } from '../situation/identity.ts';
import { recordOf } from '../process/known-record.ts';
import type { Identity } from '../situation/situation.ts';
import { connectionAnnotations } from '../../resources/connection-secret.ts';
import { aboutOf, isAbout } from './ownership.ts';
import { isConnected, pendingName, wantedSecretName, type Connected } from './secret-name.ts';
import { idIn, releaseSecret, type Releasing } from './store.ts';
import type { WatchedSecret } from '../../resources/watched-secret.ts';
import { intervals } from '../step/intervals.ts';
import type { ReportHold } from '../step/secret-events.ts';

type Dependencies = Pick<Context, 'options'> & Pick<View, 'memory'> & Releasing;

/**
 * Removes the operator's finalizer from a deleted connection Secret that no object will recreate: a copy under another name, or a Secret whose owner was
 * deleted without the operator. Otherwise the finalizer would hold the Secret and its namespace forever.
 */
export async function releaseStraySecret(key: ResourceKey, context: Dependencies, reportHold: ReportHold): Promise<Requeue> {
  const secret = context.caches.connectionSecrets.get(key);
  if (!secret?.metadata.deletionTimestamp || !hasFinalizer(secret, connectionFinalizer)) return 'forget';
  const owner = await ownerOf(secret, context);
  if (owner && mayStillUse(owner, secret, context)) {
    reportHold(secret, owner);
    return { afterMs: intervals.forPersonMs, resync: true };
  }
  try {
    await releaseSecret(key, secret.metadata.uid, context, secret.metadata.resourceVersion);
  } catch (error) {
    if (error instanceof KubernetesError && (error.kind === 'conflict' || error.kind === 'notFound'))
      return { afterMs: intervals.afterConflictMs };
    throw error;
  }
  return 'forget';
}

/** The owner. It counts as gone only if both API server and cache lack it: it may have been restored just now, or its kind may not be served for a moment. */
async function ownerOf({ metadata }: WatchedSecret, { kubernetes, caches }: Dependencies): Promise<Connected | undefined> {
  const [kind, name] = metadata.annotations?.[connectionAnnotations.owner]?.split('/') ?? [];
  if (name === undefined || name === '') return undefined;
  const key = resourceKey(metadata.namespace, name);
  if (!isKind(kind)) return undefined;
  const owner = (await kubernetes.get<ManagedObject>(resourceTypes[kind], key)) ?? caches.of(kind).get(key);
  return owner && isConnected(owner) ? owner : undefined;
}

/** Whether the Secret has a name that the object may still use, and is about the object's resource. */
function mayStillUse(owner: Connected, secret: WatchedSecret, { options, memory }: Dependencies): boolean {
  const read = recordOf(owner, memory.known(owner.kind, keyOf(owner)));
  if (read.state === 'unreadable') return true;
  const record = read.state === 'read' ? read.record : {};
  const names = [wantedSecretName(owner), record.secretName, record.previousSecretName, owner.status?.binding?.name];
  const isPending = secret.metadata.annotations?.[connectionAnnotations.pending] === 'true';
  if (!names.some((name) => name !== undefined && secret.metadata.name === (isPending ? pendingName(name) : name))) return false;
  const withoutSecret = identityOf(read, owner, undefined);
  const identity: Identity =
    withoutSecret.state === 'none'
      ? identityOf(read, owner, {
          name: secret.metadata.name,
          id: idIn(secret),
          projectId: undefined,
          clusterUid: undefined,
          attempt: secret.metadata.annotations?.[connectionAnnotations.attempt],
        })
      : withoutSecret;
  const isItsOwnWitness = identity.state === 'known' && identity.by === 'secret';
  // With the operator's own key a Secret alone is no proof, and the object's message asks to delete it.
  if (isItsOwnWitness && owner.spec.credentialsRef === undefined && !options.sharedProjectAdoption) return false;
  return isAbout(secret, aboutOf({ identity, record }));
}
