import { connectionData, type Connection } from '../connection/connection-data.ts';
import { createSecret, readSecret, replaceSecret, type SecretIdentity } from '../connection/store.ts';
import type { Context } from '../context.ts';

/**
 * Brings the connection Secret up to date; the password in it stays, or is that of another Secret in the same namespace.
 * @param passwordFrom name of the Secret whose password counts: a replica set is entered with its service's
 */
export async function storeConnection(
  identity: SecretIdentity,
  connection: Connection,
  passwordFrom: string | undefined,
  context: Context,
): Promise<void> {
  const { namespace } = identity.owner.metadata;
  const current = await readSecret(namespace, identity.name, context);
  const source = passwordFrom === undefined ? current : await readSecret(namespace, passwordFrom, context);
  const data = connectionData(connection, source?.data['password']);
  await (current ? replaceSecret(current, identity, data, context) : createSecret(identity, data, context));
}
