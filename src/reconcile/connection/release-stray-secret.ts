import { connectionFinalizer } from '../../resources/annotations.ts';
import { isKind, resourceTypes, typeOf, type ManagedObject } from '../../resources/managed-object.ts';
import { hasFinalizer, isLetGo, resourceKey, type Requeue, type ResourceKey } from '../../runtime/index.ts';
import type { Context, View } from '../process/context.ts';
import { connectionAnnotations } from '../../resources/connection-secret.ts';
import { isConnected, type Connected } from './secret-name.ts';
import { mayStillUse } from './still-used.ts';
import { releaseSecret, type Releasing } from './store.ts';
import type { WatchedSecret } from '../../resources/watched-secret.ts';
import { intervals } from '../step/intervals.ts';
import { againIfChanged, type ReportHold } from '../step/secret-events.ts';

type Dependencies = Pick<Context, 'options' | 'shard'> & Pick<View, 'memory'> & Releasing;

/**
 * Removes the operator's finalizer from a deleted connection Secret that no object will recreate: a copy under another name, or a Secret whose owner was
 * deleted without the operator. Otherwise the finalizer would hold the Secret and its namespace forever.
 */
export async function releaseStraySecret(key: ResourceKey, context: Dependencies, reportHold: ReportHold): Promise<Requeue> {
  const secret = context.caches.connectionSecrets.get(key);
  if (!secret?.metadata.deletionTimestamp || !hasFinalizer(secret, connectionFinalizer)) return 'forget';
  const owner = await ownerOf(secret, context);
  // The process that has the owner remembers what the owner lost, and may need the Secret for that.
  const isOthers = owner !== undefined && context.shard?.isOurs(owner) === false;
  if (owner && (isOthers || mayStillUse(owner, secret, context))) {
    if (!isOthers) reportHold(secret, owner);
    return { afterMs: intervals.forPersonMs, resync: true };
  }
  return againIfChanged(releaseSecret(key, secret.metadata.uid, context, secret.metadata.resourceVersion));
}

/** The owner. It counts as gone only if both API server and cache lack it: it may have been restored just now, or its kind may not be served for a moment. */
async function ownerOf({ metadata }: WatchedSecret, { kubernetes, caches }: Dependencies): Promise<Connected | undefined> {
  const [kind, name] = metadata.annotations?.[connectionAnnotations.owner]?.split('/') ?? [];
  if (name === undefined || name === '') return undefined;
  const key = resourceKey(metadata.namespace, name);
  if (!isKind(kind)) return undefined;
  const owner = (await kubernetes.get<ManagedObject>(resourceTypes[kind], key)) ?? caches.of(kind).get(key);
  return owner && isConnected(owner) && !isLetGo(owner, typeOf(owner).finalizer) ? owner : undefined;
}
