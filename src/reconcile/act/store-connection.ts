import { connectionData, type Connection } from '../connection/connection-data.ts';
import { connectionAnnotations, type SecretWithData } from '../connection/connection-secret.ts';
import { isOurs } from '../connection/ours.ts';
import { inTheWay } from '../connection/secret-refused.ts';
import { putSecret, readSecret, type SecretIdentity } from '../connection/store.ts';
import type { Context } from '../context.ts';
import type { Outcome } from '../outcome.ts';

/**
 * Brings the connection Secret up to date; the password in it stays, or is that of another Secret in the same namespace.
 * @param passwordFrom name of the Secret whose password counts: a replica set is entered with its service's
 */
export async function storeConnection(
  identity: SecretIdentity,
  connection: Connection,
  passwordFrom: string | undefined,
  context: Context,
): Promise<Outcome> {
  const { owner, name } = identity;
  const { namespace } = owner.metadata;
  const current = await readSecret(namespace, name, context);
  if (current && !isOurs(current, owner)) return { type: 'stalled', object: owner, step: inTheWay(name) };
  const source = passwordFrom === undefined ? current : await readSecret(namespace, passwordFrom, context);
  const password = source && !isOfAnother(source, identity) ? source.data['password'] : undefined;
  await putSecret(current, identity, connectionData(connection, password), context);
  return { type: 'done', object: owner };
}

/** A password belongs to one resource: what a recreation replaced had another. */
function isOfAnother(secret: SecretWithData, { owner, id }: SecretIdentity): boolean {
  const its = secret.metadata.annotations?.[connectionAnnotations.id];
  return isOurs(secret, owner) && its !== undefined && its !== id;
}
