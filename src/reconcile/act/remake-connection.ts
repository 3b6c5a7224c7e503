import { connectionData, connectionIn } from '../connection/connection-data.ts';
import type { SecretWithData } from '../../resources/connection-secret.ts';
import { holdingFinalizers, isPending, isOfResource, idIn } from '../connection/ownership.ts';
import { copiedOrigin, copyOrigin, initialOrigin } from '../step/password-origin.ts';
import { handledIn, isBackupCopy, keepBeside } from '../connection/pending-password.ts';
import { SecretTaken } from '../connection/secret-refused.ts';
import { confirmedPassword, storedPassword } from '../connection/stored-password.ts';
import {
  releaseSecret,
  provenance,
  putSecret,
  readSecret,
  removeSecret,
  type Provenance,
  type SecretIdentity,
} from '../connection/store.ts';
import type { Context } from '../process/context.ts';
import { conflictAt } from '../step/kubernetes-trouble.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { Action } from '../step/action.ts';
import type { Outcome } from '../step/outcome.ts';
import { keyOf } from '../../runtime/index.ts';

export type Remake = Extract<Action, { type: 'remakeConnection' }>;

/**
 * Recreates a deleted Secret from its own data. First a copy is stored under the name of the pending Secret: between the release of the old Secret and the
 * creation of the new one, nothing else holds the password. A copy that an earlier process left is restored. A pending Secret keeps the password beside its own.
 */
export async function remakeConnection({ secret }: Remake, owner: ManagedObject, context: Context): Promise<Outcome> {
  const identity: SecretIdentity = { ...secret, owner };
  const { namespace } = owner.metadata;
  const done: Outcome = { type: 'done', object: owner };
  const found = await readSecret(namespace, identity.name, context);
  if (found && !isOfResource(found, identity)) return done;
  const inPlace = await readSecret(namespace, identity.pendingName, context);
  const isIts = inPlace !== undefined && isPending(inPlace, owner) && isOfResource(inPlace, identity);
  const left = isIts && isBackupCopy(inPlace) ? inPlace : undefined;
  if (!found?.metadata.deletionTimestamp) {
    if (left) await putBack(left, found, identity, context);
    return done;
  }
  if (holdingFinalizers(found).length > 0)
    return { type: 'conflict', step: conflictAt(`Secret "${identity.name}" is held while it is made again`) };
  if (inPlace && !isIts) throw new SecretTaken(inPlace);
  // After a recreation the resource has another password. Only the addresses are reused, and the next visit updates them.
  const isOfBefore = idIn(found) !== undefined && idIn(found) !== identity.id;
  const data = isOfBefore ? connectionData(connectionIn(found.data), undefined) : found.data;
  const said = isOfBefore ? {} : provenance(found);
  const aside = left ?? (await storeAside({ found, inPlace, data, identity, said }, context));
  await releaseSecret(keyOf(found), found.metadata.uid, context);
  await putSecret(undefined, { ...identity, ...said }, data, context);
  if (aside) await removeSecret(aside, context);
  return done;
}

/** Copies the password of a Secret that is being deleted, and that the operator does not hold, into the pending Secret, which is made if there is none. */
export async function keepAside({ secret }: Remake, owner: ManagedObject, context: Context): Promise<void> {
  const identity: SecretIdentity = { ...secret, owner };
  const { namespace } = owner.metadata;
  const found = await readSecret(namespace, identity.name, context);
  if (!found || !isOfResource(found, identity)) return;
  const inPlace = await readSecret(namespace, identity.pendingName, context);
  const isIts = inPlace !== undefined && isPending(inPlace, owner) && isOfResource(inPlace, identity);
  if (inPlace && !isIts) throw new SecretTaken(inPlace);
  if (inPlace && isBackupCopy(inPlace)) return;
  await storeAside({ found, inPlace, data: found.data, identity, said: provenance(found) }, context);
}

interface Aside {
  readonly found: SecretWithData;
  /** The pending Secret. */
  readonly inPlace: SecretWithData | undefined;
  readonly data: Readonly<Record<string, string>>;
  readonly identity: SecretIdentity;
  readonly said: Provenance;
}

/** Stores the password as a copy, or beside the pending one. @returns the copy */
async function storeAside({ found, inPlace, data, identity, said }: Aside, context: Context): Promise<SecretWithData | undefined> {
  if (data['password'] === undefined) return undefined;
  if (!inPlace) return putSecret(undefined, asCopy({ ...identity, ...said }), data, context);
  const password = confirmedPassword(storedPassword(found)) ?? data['password'];
  await keepBeside(inPlace, identity, { password, origin: handledIn(found) ?? initialOrigin }, context);
  return undefined;
}

function asCopy(identity: SecretIdentity): SecretIdentity {
  return {
    ...identity,
    name: identity.pendingName,
    isPending: true,
    passwordHandled: copyOrigin(identity.passwordHandled),
    labels: {},
    annotations: {},
  };
}

/**
 * Restores the Secret from its copy, and removes the copy. Nothing is restored into a Secret that has a password of this resource, or for another resource.
 */
async function putBack(copy: SecretWithData, found: SecretWithData | undefined, identity: SecretIdentity, context: Context): Promise<void> {
  const its = found && idIn(found);
  const hasPassword = found !== undefined && (its === undefined || its === identity.id) && storedPassword(found).state !== 'none';
  if (!hasPassword && idIn(copy) === identity.id) {
    const said = provenance(copy);
    await putSecret(found, { ...identity, ...said, passwordHandled: copiedOrigin(said.passwordHandled) }, copy.data, context);
  }
  await removeSecret(copy, context);
}
