import { credentialsFinalizer, credentialsLabel } from '../../resources/annotations.ts';
import { resourceKey, withFinalizer } from '../../runtime/index.ts';
import type { CredentialsSecret } from '../credentials/account.ts';
import type { Context } from '../process/context.ts';
import { secretMetadata } from '../../resources/secret-metadata.ts';

/** Puts our finalizer and label on a credentials Secret, in one patch: what it made must stay deletable with it. */
export async function holdCredentials({ namespace, name }: CredentialsSecret, context: Context): Promise<void> {
  const key = resourceKey(namespace, name);
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
