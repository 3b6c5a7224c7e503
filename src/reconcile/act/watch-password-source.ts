import { credentialsLabel } from '../../resources/annotations.ts';
import type { ResourceKey } from '../../runtime/index.ts';
import type { Context } from '../process/context.ts';
import { secretMetadata } from '../../resources/secret-metadata.ts';

/** Labels the user's Secret, so that the watch for credentials includes it. A new password is then applied as soon as it is written. */
export async function watchPasswordSource(key: ResourceKey, context: Context): Promise<void> {
  const secret = await context.kubernetes.get(secretMetadata, key);
  if (!secret || secret.metadata.labels?.[credentialsLabel] !== undefined) return;
  const { uid, resourceVersion } = secret.metadata;
  const labels = { [credentialsLabel]: 'password' };
  context.caches.credentialsSecrets.wrote(
    await context.kubernetes.patch(secretMetadata, key, { metadata: { uid, resourceVersion, labels } }),
  );
}
