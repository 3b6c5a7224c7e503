import type { SecretWithData } from '../../resources/connection-secret.ts';
import { isOurs } from '../connection/ours.ts';
import { inTheWay } from '../connection/secret-refused.ts';
import {
  confirmedPassword,
  connectionContent,
  passwordDigest,
  storedPassword,
  type StoredPassword,
} from '../connection/stored-password.ts';
import { idIn, putSecret, readSecret, type Provenance, type SecretIdentity } from '../connection/store.ts';
import type { Context } from '../process/context.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { ConnectionWrite } from '../step/connection.ts';
import type { Outcome } from '../step/outcome.ts';

/**
 * Brings the connection Secret up to date; the password in it stays, or is that of another Secret in the same namespace.
 * @param said what the Secret says from now on of its create and its password, where that is new
 */
export async function storeConnection(
  { secret, connection, passwordFrom }: ConnectionWrite,
  owner: ManagedObject,
  context: Context,
  said: Provenance = {},
): Promise<Outcome> {
  const identity: SecretIdentity = { ...secret, owner, ...said };
  const { name } = secret;
  const { namespace } = owner.metadata;
  const current = await readSecret(namespace, name, context);
  if (current && !isOurs(current, owner)) return { type: 'stalled', object: owner, step: inTheWay(name) };
  const source = passwordFrom === undefined ? current : await readSecret(namespace, passwordFrom, context);
  const password = kept(source, identity, current);
  // The first digest is of the password that is there: nobody is known to have changed it.
  const isFirst = password.state === 'unmarked' && owner.kind === 'ManagedService' && identity.passwordDigest === undefined;
  const digest = isFirst ? { passwordDigest: passwordDigest(password.password, context.newId()) } : {};
  await putSecret(current, { ...identity, ...digest }, connectionContent(connection, password), context);
  return { type: 'done', object: owner };
}

/**
 * The password that is stored again. It belongs to one resource: what a recreation replaced had another. Of the service's Secret a replica set takes what
 * the cloud has, not what somebody wrote there.
 */
function kept(source: SecretWithData | undefined, identity: SecretIdentity, current: SecretWithData | undefined): StoredPassword {
  const { owner, id } = identity;
  if (!source) return { state: 'none' };
  if (isOurs(source, owner)) return idIn(source) === undefined || idIn(source) === id ? storedPassword(source) : { state: 'none' };
  const stored = storedPassword(source);
  const password = confirmedPassword(stored) ?? (stored.state === 'edited' ? current?.data['password'] : undefined);
  return password === undefined ? { state: 'none' } : { state: 'confirmed', password };
}
