import type { SecretWithData } from '../../resources/connection-secret.ts';
import { isOf, isOwnedBy } from '../connection/ownership.ts';
import {
  confirmedPassword,
  connectionContent,
  hasPassword,
  passwordDigest,
  storedPassword,
  type StoredPassword,
} from '../connection/stored-password.ts';
import { putSecret, readSecret, type Provenance, type SecretIdentity } from '../connection/store.ts';
import type { Context } from '../process/context.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { ConnectionWrite } from '../step/connection.ts';
import type { Outcome } from '../step/outcome.ts';

/**
 * Updates the connection Secret. Its password stays, or is copied from another Secret in the same namespace.
 * @param said new annotations about create and password
 */
export async function storeConnection(
  { secret, connection, passwordFrom }: ConnectionWrite,
  owner: ManagedObject,
  context: Context,
  said: Provenance = {},
): Promise<Outcome> {
  const { namespace } = owner.metadata;
  const current = await readSecret(namespace, secret.name, context);
  const source = passwordFrom === undefined ? current : await readSecret(namespace, passwordFrom, context);
  // Where the Secret that it comes from has no password, or is gone, a password that is here already stays: nothing else may have it.
  const stays =
    passwordFrom !== undefined && current !== undefined && (!source || isOwnedBy(source, owner)) && !(source && hasPassword(source));
  const identity: SecretIdentity = { ...secret, owner, ...(stays ? {} : said) };
  const password = kept(stays ? current : source, identity, current);
  // The first digest marks the existing password: no edit of it is known.
  const isFirst = password.state === 'unmarked' && owner.kind === 'ManagedService' && identity.passwordDigest === undefined;
  const digest = isFirst ? { passwordDigest: passwordDigest(password.password, context.newId(), identity.id) } : {};
  await putSecret(current, { ...identity, ...digest }, connectionContent(connection, password), context);
  return { type: 'done', object: owner };
}

/**
 * The password to store again. A password belongs to one resource, so that of a replaced resource is not kept. A replica set copies the password that the
 * cloud has from its service's Secret, not an edited one.
 */
function kept(source: SecretWithData | undefined, identity: SecretIdentity, current: SecretWithData | undefined): StoredPassword {
  const { owner, id } = identity;
  if (!source) return { state: 'none' };
  if (isOwnedBy(source, owner)) return isOf(source, id) ? storedPassword(source) : { state: 'none' };
  const stored = storedPassword(source);
  const password = confirmedPassword(stored) ?? (stored.state === 'edited' ? current?.data['password'] : undefined);
  return password === undefined ? { state: 'none' } : { state: 'confirmed', password };
}
