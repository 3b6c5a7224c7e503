import { pendingName } from '../connection/observe-secret.ts';
import { createSecret, letGo, readSecret, removeSecret, type SecretIdentity } from '../connection/store.ts';
import type { Context } from '../context.ts';
import { keyOf } from '../../runtime/kubernetes-object.ts';

/**
 * Makes a Secret again that somebody deleted, from its own data. The data goes into the pending Secret first: between letting the old one go and
 * creating the new one nothing else would hold the password.
 */
export async function remakeConnection(identity: SecretIdentity, context: Context): Promise<void> {
  const { namespace } = identity.owner.metadata;
  const dying = await readSecret(namespace, identity.name, context);
  if (!dying?.metadata.deletionTimestamp) return;
  const pendingIdentity: SecretIdentity = { ...identity, name: pendingName(identity.name), labels: {}, annotations: {} };
  const password = dying.data['password'];
  const keepsPassword = password !== undefined && !(await readSecret(namespace, pendingIdentity.name, context));
  const pending = keepsPassword ? await createSecret(pendingIdentity, { password }, context) : undefined;
  await letGo(keyOf(dying), dying.metadata.uid, context);
  await createSecret(identity, dying.data, context);
  if (pending) await removeSecret(pending, context);
}
