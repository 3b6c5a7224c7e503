import { credentialsFinalizer, credentialsLabel } from '../../resources/annotations.ts';
import { managedServices } from '../../resources/managed-service.ts';
import { managedVpcs } from '../../resources/managed-vpc.ts';
import { replicaSets } from '../../resources/replica-set.ts';
import type { Requeue } from '../../runtime/controller.ts';
import { KubernetesError, type KubernetesClient } from '../../runtime/kubernetes-client.ts';
import { parseKey, type ResourceKey } from '../../runtime/kubernetes-object.ts';
import type { ObjectCache } from '../../runtime/object-cache.ts';
import type { ManagedObject } from '../situation.ts';
import { secretMetadata, type SecretMetadata } from './secret-metadata.ts';

const lookAgainMs = 15_000;

/** Lets a credentials Secret go once no object needs it: concluded from live lists, never from the cache. */
export async function reconcileCredentialsSecret(
  key: ResourceKey,
  heldSecrets: ObjectCache<SecretMetadata>,
  kubernetes: KubernetesClient,
): Promise<Requeue> {
  const secret = heldSecrets.get(key);
  if (!secret?.metadata.finalizers?.includes(credentialsFinalizer)) return 'forget';
  // While nobody deletes it, a Secret without users stays held until the last one is gone: the next deletion of an object wakes this.
  if (await isNeeded(key, kubernetes)) return secret.metadata.deletionTimestamp ? { afterMs: lookAgainMs } : 'forget';
  const { uid, resourceVersion, finalizers = [] } = secret.metadata;
  try {
    const released = await kubernetes.patch(secretMetadata, key, {
      metadata: {
        uid,
        resourceVersion,
        labels: { [credentialsLabel]: null },
        finalizers: finalizers.filter((finalizer) => finalizer !== credentialsFinalizer),
      },
    });
    heldSecrets.wrote(released);
  } catch (error) {
    if (error instanceof KubernetesError && (error.kind === 'conflict' || error.kind === 'notFound')) return { afterMs: 1_000 };
    throw error;
  }
  return 'forget';
}

async function isNeeded(key: ResourceKey, kubernetes: KubernetesClient): Promise<boolean> {
  const { namespace, name } = parseKey(key);
  const lists = await Promise.all<{ readonly items: readonly ManagedObject[] }>([
    kubernetes.list(managedVpcs, { namespace }),
    kubernetes.list(managedServices, { namespace }),
    kubernetes.list(replicaSets, { namespace }),
  ]);
  return lists.some(({ items }) => items.some((object) => object.spec.credentialsRef?.name === name));
}
