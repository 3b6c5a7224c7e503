import { credentialsFinalizer, credentialsLabel } from '../../resources/annotations.ts';
import { withFinalizer, type ResourceKey } from '../../runtime/index.ts';
import type { Context } from '../process/context.ts';
import { mayHaveMore, withAllFinalizers } from '../../resources/metadata.ts';
import { secretMetadata } from '../../resources/secret-metadata.ts';

/**
 * Puts finalizer and label on a credentials Secret in the same patch. Resources that were created with the key
 * must stay deletable with it.
 */
export async function holdCredentials(key: ResourceKey, context: Context): Promise<void> {
  const secret = await context.kubernetes.get(secretMetadata, key);
  if (!secret || secret.metadata.deletionTimestamp) return;
  const whole = mayHaveMore(secret) ? await context.kubernetes.get(withAllFinalizers(secretMetadata), key) : secret;
  if (!whole) return;
  const held = await context.kubernetes.patch(secretMetadata, key, {
    metadata: {
      ...withFinalizer({ metadata: { ...secret.metadata, finalizers: whole.metadata.finalizers } }, credentialsFinalizer),
      labels: { [credentialsLabel]: 'true' },
    },
  });
  context.caches.credentialsSecrets.wrote(held);
}

/** Labels the user's Secret, so that the watch for credentials includes it and a new password is applied at once. */
export async function watchPasswordSource(key: ResourceKey, context: Context): Promise<void> {
  const secret = await context.kubernetes.get(secretMetadata, key);
  if (!secret || secret.metadata.labels?.[credentialsLabel] !== undefined) return;
  const { uid, resourceVersion } = secret.metadata;
  const labels = { [credentialsLabel]: 'password' };
  context.caches.credentialsSecrets.wrote(
    await context.kubernetes.patch(secretMetadata, key, { metadata: { uid, resourceVersion, labels } }),
  );
}
