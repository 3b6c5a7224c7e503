import { credentialsFinalizer, credentialsLabel } from '../../resources/annotations.ts';
import { withFinalizer, type ResourceKey } from '../../runtime/index.ts';
import type { Context } from '../process/context.ts';
import { secretMetadata } from '../../resources/secret-metadata.ts';

/** Puts finalizer and label on a credentials Secret, in one patch. Resources that were created with the key must stay deletable with it. */
export async function holdCredentials(key: ResourceKey, context: Context): Promise<void> {
  const secret = await context.kubernetes.get(secretMetadata, key);
  if (!secret || secret.metadata.deletionTimestamp) return;
  const held = await context.kubernetes.patch(secretMetadata, key, {
    metadata: {
      ...withFinalizer(secret, credentialsFinalizer),
      labels: { [credentialsLabel]: 'true' },
    },
  });
  context.caches.credentialsSecrets.wrote(held);
}
