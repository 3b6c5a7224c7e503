import { CloudError } from '../../cloud/cloud-error.ts';
import type { ServiceId } from '../../cloud/wire/ids.ts';
import type { Account } from '../account.ts';
import { connectionData, type Connection } from '../connection/connection-data.ts';
import { pendingName } from '../connection/observe-secret.ts';
import { createSecret, readSecret, removeSecret, replaceSecret, type SecretIdentity } from '../connection/store.ts';
import type { Context } from '../context.ts';
import { sendFence } from '../fence.ts';
import type { Outcome } from '../outcome.ts';

/**
 * Sets a password that is stored before it is sent: in a Secret of its own, until the cloud has it. Wherever this ends, the next visit finds the
 * same password there and sends it again.
 */
export async function resetPassword(
  id: ServiceId,
  identity: SecretIdentity,
  connection: Connection,
  account: Account,
  context: Context,
): Promise<Outcome> {
  const { namespace } = identity.owner.metadata;
  const stored = await readSecret(namespace, pendingName(identity.name), context);
  const current = await readSecret(namespace, identity.name, context);
  // The cache was behind: it is stored, and nothing is pending.
  if (!stored && current?.data['password'] !== undefined) return { type: 'overtaken' };
  const pending =
    stored ??
    (await createSecret(
      { ...identity, name: pendingName(identity.name), labels: {}, annotations: {} },
      { password: context.newPassword() },
      context,
    ));
  const { password } = pending.data;
  if (password !== undefined && current?.data['password'] !== password) {
    try {
      await account.api.updateServicePassword(account.projectId, id, password, { mayBeSent: sendFence(context.leadership) });
    } catch (error) {
      if (error instanceof CloudError) return { type: 'failed', error, object: identity.owner };
      throw error;
    }
    const data = connectionData(connection, password);
    await (current ? replaceSecret(current, identity, data, context) : createSecret(identity, data, context));
  }
  await removeSecret(pending, context);
  return { type: 'done', object: identity.owner };
}
