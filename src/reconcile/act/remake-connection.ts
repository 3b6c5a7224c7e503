import { connectionData, connectionIn } from '../connection/connection-data.ts';
import type { SecretWithData } from '../../resources/connection-secret.ts';
import { holdingFinalizers, isOf, isPending, isOfResource, idIn } from '../connection/ownership.ts';
import { copiedOrigin, copyOrigin, initialOrigin } from '../step/password-origin.ts';
import { handledIn, isBackupCopy, keepBeside, readPending } from '../connection/pending-password.ts';
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
export async function remakeConnection(action: Remake, owner: ManagedObject, context: Context): Promise<Outcome> {
  const done: Outcome = { type: 'done', object: owner };
  const look = await lookAtBoth(action, owner, context);
  if (!look) return done;
  const { identity, found, inPlace, isIts } = look;
  if (!found?.metadata.deletionTimestamp) {
    if (inPlace && isIts && isBackupCopy(inPlace)) await putBack(inPlace, found, identity, context);
    return done;
  }
  if (holdingFinalizers(found).length > 0)
    return { type: 'conflict', step: conflictAt(`Secret "${identity.name}" is held while it is made again`) };
  const copy = await storeCopy(look, found, context);
  await releaseSecret(keyOf(found), found.metadata.uid, context);
  const { data, said } = contentOf(found, identity);
  await putSecret(undefined, { ...identity, ...said }, data, context);
  if (copy) await removeSecret(copy, context);
  return done;
}

/** Copies the password of a Secret that is being deleted, and that the operator does not hold, into the pending Secret, which is made if there is none. */
export async function copyConnection(action: Remake, owner: ManagedObject, context: Context): Promise<void> {
  const look = await lookAtBoth(action, owner, context);
  if (look?.found) await storeCopy(look, look.found, context);
}

interface Look {
  readonly identity: SecretIdentity;
  readonly found: SecretWithData | undefined;
  readonly inPlace: SecretWithData | undefined;
  /** Whether the Secret in that place is the pending one. */
  readonly isIts: boolean;
}

/** The Secret, and the one in the place of its pending Secret; undefined if the first is not of this resource. */
async function lookAtBoth({ secret }: Remake, owner: ManagedObject, context: Context): Promise<Look | undefined> {
  const identity: SecretIdentity = { ...secret, owner };
  const { namespace } = owner.metadata;
  const found = await readSecret(namespace, identity.name, context);
  if (found && !isOfResource(found, identity)) return undefined;
  const inPlace = await readPending(identity, context);
  return { identity, found, inPlace, isIts: inPlace !== undefined && isPending(inPlace, owner) && isOfResource(inPlace, identity) };
}

/** The content for this resource. After a recreation it has another password: only the addresses are reused, and the next visit updates them. */
function contentOf(found: SecretWithData, { id }: SecretIdentity): { readonly data: SecretWithData['data']; readonly said: Provenance } {
  const data = isOf(found, id) ? found.data : connectionData(connectionIn(found.data), undefined);
  return { data, said: provenance(found, id) };
}

/** Stores the password as a copy, or beside the pending one. @returns the copy, perhaps that of an earlier process */
async function storeCopy({ identity, inPlace, isIts }: Look, found: SecretWithData, context: Context): Promise<SecretWithData | undefined> {
  if (inPlace && !isIts) throw new SecretTaken(inPlace);
  if (inPlace && isBackupCopy(inPlace)) return inPlace;
  const { data, said } = contentOf(found, identity);
  if (data['password'] === undefined) return undefined;
  const marks = { passwordHandled: copyOrigin(said.passwordHandled), isPending: true, labels: {}, annotations: {} };
  if (!inPlace) return putSecret(undefined, { ...identity, ...said, ...marks, name: identity.pendingName }, data, context);
  const password = confirmedPassword(storedPassword(found)) ?? data['password'];
  await keepBeside(inPlace, identity, { password, origin: handledIn(found) ?? initialOrigin }, context);
  return undefined;
}

/**
 * Restores the Secret from its copy, and removes the copy. Nothing is restored into a Secret that has a password of this resource, or for another resource.
 */
async function putBack(copy: SecretWithData, found: SecretWithData | undefined, identity: SecretIdentity, context: Context): Promise<void> {
  const hasPassword = found !== undefined && isOf(found, identity.id) && storedPassword(found).state !== 'none';
  if (!hasPassword && idIn(copy) === identity.id) {
    const said = provenance(copy, identity.id);
    await putSecret(found, { ...identity, ...said, passwordHandled: copiedOrigin(said.passwordHandled) }, copy.data, context);
  }
  await removeSecret(copy, context);
}
