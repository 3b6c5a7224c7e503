import { connectionData, connectionIn } from '../connection/connection-data.ts';
import type { SecretWithData } from '../../resources/connection-secret.ts';
import { holdersOf, isOurs, isPending } from '../connection/ours.ts';
import { copiedOrigin, copyOrigin } from '../step/password-origin.ts';
import { isKeptAside } from '../connection/pending-password.ts';
import { pendingName } from '../connection/secret-name.ts';
import { inTheWay } from '../connection/secret-refused.ts';
import { storedPassword } from '../connection/stored-password.ts';
import { idIn, letGo, provenance, putSecret, readSecret, removeSecret, type SecretIdentity } from '../connection/store.ts';
import type { Context } from '../process/context.ts';
import { overtakenAt } from '../step/kubernetes-trouble.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { Action } from '../step/action.ts';
import type { Outcome } from '../step/outcome.ts';
import { keyOf } from '../../runtime/index.ts';

/**
 * Makes a Secret again that somebody deleted, from its own data. The data is kept aside first, in the place of the pending Secret: between letting the
 * old one go and creating the new one nothing else would hold the password. What an earlier process left there is put back.
 */
export async function remakeConnection(
  { secret }: Extract<Action, { type: 'remakeConnection' }>,
  owner: ManagedObject,
  context: Context,
): Promise<Outcome> {
  const identity: SecretIdentity = { ...secret, owner };
  const { namespace } = owner.metadata;
  const done: Outcome = { type: 'done', object: owner };
  const found = await readSecret(namespace, identity.name, context);
  if (found && !isOurs(found, owner)) return done;
  const placeName = pendingName(identity.name);
  const inPlace = await readSecret(namespace, placeName, context);
  const left = inPlace && isPending(inPlace, owner) && isKeptAside(inPlace) ? inPlace : undefined;
  if (!found?.metadata.deletionTimestamp) {
    if (left) await putBack(left, found, identity, context);
    return done;
  }
  if (holdersOf(found).length > 0)
    return { type: 'overtaken', step: overtakenAt(`Secret "${identity.name}" is held while it is made again`) };
  if (inPlace && !isPending(inPlace, owner)) return { type: 'stalled', object: owner, step: inTheWay(placeName) };
  // What a recreation replaced had another password: only the addresses are of use, and the next visit brings them up to date.
  const isOfBefore = idIn(found) !== undefined && idIn(found) !== identity.id;
  const data = isOfBefore ? connectionData(connectionIn(found.data), undefined) : found.data;
  const again: SecretIdentity = { ...identity, ...(isOfBefore ? {} : provenance(found)) };
  const keepsAside = data['password'] !== undefined && !inPlace;
  const aside = keepsAside ? await putSecret(undefined, asCopy(again, placeName), data, context) : left;
  await letGo(keyOf(found), found.metadata.uid, context);
  await putSecret(undefined, again, data, context);
  if (aside) await removeSecret(aside, context);
  return done;
}

function asCopy(identity: SecretIdentity, name: string): SecretIdentity {
  return { ...identity, name, isPending: true, passwordHandled: copyOrigin(identity.passwordHandled), labels: {}, annotations: {} };
}

/** A Secret with a password of this resource needs nothing of the copy, and neither does another resource. */
async function putBack(copy: SecretWithData, found: SecretWithData | undefined, identity: SecretIdentity, context: Context): Promise<void> {
  const its = found && idIn(found);
  const hasPassword = found !== undefined && (its === undefined || its === identity.id) && storedPassword(found).state !== 'none';
  if (!hasPassword && idIn(copy) === identity.id) {
    const said = provenance(copy);
    await putSecret(found, { ...identity, ...said, passwordHandled: copiedOrigin(said.passwordHandled) }, copy.data, context);
  }
  await removeSecret(copy, context);
}
