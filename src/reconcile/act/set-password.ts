import { orCloudError, type CloudError } from '../../cloud/cloud-error.ts';
import type { Account } from '../credentials/account.ts';
import type { SecretWithData } from '../../resources/connection-secret.ts';
import { isOf, isOfResource, isPending, foreignFinalizers } from '../connection/ownership.ts';
import { isEdit } from '../step/password-origin.ts';
import { dropPending, handledIn, isBackupCopy, putPending, readPending } from '../connection/pending-password.ts';
import { lengthOf } from '../connection/secret-contents.ts';
import { SecretTaken } from '../connection/secret-refused.ts';
import { passwordDigest, storedAfter } from '../connection/stored-password.ts';
import { checkSecret, isAsRead, putSecret, readSecret, removeSecret, type SecretIdentity } from '../connection/store.ts';
import type { Context } from '../process/context.ts';
import { fenceAfterLook } from './fence.ts';
import { conflictAt } from '../step/kubernetes-trouble.ts';
import type { Outcome } from '../step/outcome.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { isRecordAsSeen, writeRecord } from './patch-object.ts';
import { chosenIn, confirmed, isPromoted, knownOf, memoryOf, promoted, stored, type Rotation } from './rotation.ts';

/**
 * Sets a password. Stores it before it is sent, in a pending Secret that stays until the cloud has the password. After a crash, the next visit finds the same
 * password there and sends it again. Then writes the password into the connection Secret, together with its origin. Before the call, a dry run checks that
 * Kubernetes accepts that Secret. A password that the cloud accepted is not sent again, and stays pending until the connection Secret has it.
 */
export async function setPassword(action: Rotation['action'], owner: ManagedObject, account: Account, context: Context): Promise<Outcome> {
  const identity: SecretIdentity = { ...action.secret, owner };
  const { name } = identity;
  const { namespace } = owner.metadata;
  const change = { operation: 'updateServicePassword', wanted: action.origin };
  const place = await readPending(identity, context);
  if (place && !(isPending(place, owner) && isOf(place, action.id))) throw new SecretTaken(place);
  if (place && isBackupCopy(place))
    return { type: 'conflict', step: conflictAt(`Secret "${identity.pendingName}" keeps what Secret "${name}" had`) };
  const current = await readSecret(namespace, name, context);
  if (current && !isOfResource(current, identity)) throw new SecretTaken(current);
  const rotation: Rotation = { action, identity, current, account, context };
  const isOnItsWay = place !== undefined && handledIn(place) !== action.givesUp;
  const begun = isOnItsWay ? { pending: place, isChecked: false } : await begin(rotation, place);
  if ('type' in begun) return begun;
  const { password } = begun.pending.data;
  if (password === undefined) {
    await removeSecret(begun.pending, context); // somebody emptied it
    return { type: 'done', object: owner };
  }
  const error = await send(rotation, begun, password);
  if (error === 'overtaken') return { type: 'conflict', step: conflictAt(`Secret "${identity.pendingName}" is not what was stored`) };
  if (error) return { type: 'failed', error, object: owner, change };
  await promote(rotation, begun.pending, password);
  // The pending Secret is removed last: as long as it exists, the next visit continues here.
  const object = action.record === undefined ? owner : await writeRecord(owner, action.record, context);
  await removeSecret(begun.pending, context);
  reportSet(rotation, begun.pending, password);
  return { type: 'done', object };
}

interface Begun {
  readonly pending: SecretWithData;
  /** Whether the dry run of the connection Secret was made just now. */
  readonly isChecked: boolean;
}

/** Chooses a password, and stores it after a dry run of the connection Secret. Returns an outcome if nothing is to be sent. */
async function begin(rotation: Rotation, place: SecretWithData | undefined): Promise<Begun | Outcome> {
  const { action, identity, current, context } = rotation;
  const { origin } = action;
  const password = (await isRecordAsSeen(identity.owner, context)) ? await choose(rotation) : undefined;
  if (password === undefined)
    return { type: 'conflict', step: conflictAt(`the password for Secret "${identity.name}" is not what was seen`) };
  const before = stored(rotation);
  const replaced = before.state === 'none' ? undefined : passwordDigest(before.password, context.newId());
  const [wanted, data] = promoted(rotation, { origin, password, replaced });
  if (password === confirmed(rotation) && !place) {
    await putSecret(current, wanted, data, context);
    return { type: 'done', object: identity.owner };
  }
  await checkSecret(current, wanted, data, context);
  const pending = await putPending(place, identity, { password, origin, passwordDigest: replaced }, context);
  memoryOf(rotation).pending = { uid: pending.metadata.uid, origin, isSent: 'no' };
  return { pending, isChecked: true };
}

/** The password to set. Undefined if it is set already, or if its source has changed: then the caches are behind. */
async function choose(rotation: Rotation): Promise<string | undefined> {
  const { action, identity, current, context } = rotation;
  const { origin, source } = action;
  const found = stored(rotation);
  if (found.state !== 'none' && current && handledIn(current) === origin) return undefined;
  if (!source) return context.newPassword();
  if (source === 'edited') return found.state === 'edited' && lengthOf(found.password) === 'fits' ? found.password : undefined;
  const given = (await readSecret(identity.owner.metadata.namespace, source.name, context))?.data[source.key] ?? '';
  return lengthOf(given) === 'fits' ? given : undefined;
}

/** Sends the password, unless the cloud has it. @returns the cloud's error, if any; `overtaken` if another process has gone on with it */
async function send(rotation: Rotation, { pending, isChecked }: Begun, password: string): Promise<CloudError | 'overtaken' | undefined> {
  const { action, identity, current, account, context } = rotation;
  const memory = memoryOf(rotation);
  const known = knownOf(pending, rotation);
  if (known.isSent === 'taken' || isPromoted(rotation, known.origin, password)) return undefined;
  // Another visit stored the pending password. Since then, Kubernetes may have begun to refuse the connection Secret.
  if (!isChecked) await checkSecret(current, ...promoted(rotation, chosenIn(pending, rotation, password)), context);
  // Another process may have sent this password since, and then another one.
  if (!(await isAsRead(pending, context))) return 'overtaken';
  const mayBeSent = await fenceAfterLook(identity.owner, context);
  const error = await orCloudError(account.project.updateServicePassword(action.id, { password }, { mayBeSent }));
  if (!error) memory.pending = { ...known, isSent: 'taken' };
  else if (!error.changedNothing) {
    memory.passwordUnansweredAt = context.clock.now();
    memory.pending = { ...known, isSent: 'perhaps' };
  }
  // A password that may have arrived could be the cloud's password now, so it is kept until the cloud accepts it.
  if (error && isRejected(error) && known.isSent === 'no') await dropPending(pending, identity, context);
  return error ?? undefined;
}

/** Writes a password that the cloud has into the connection Secret. */
async function promote(rotation: Rotation, pending: SecretWithData, password: string): Promise<void> {
  const { current, context } = rotation;
  const { passwordUnansweredAt: at } = memoryOf(rotation);
  const chosen = chosenIn(pending, rotation, password);
  // The connection Secret has the password: only the pending Secret was left to remove.
  if (isPromoted(rotation, chosen.origin, password)) return;
  const [wanted, data] = promoted(rotation, chosen);
  const passwordUnansweredAt = at === undefined ? undefined : new Date(at).toISOString();
  await putSecret(current, { ...wanted, passwordUnansweredAt }, data, context);
}

function reportSet(rotation: Rotation, pending: SecretWithData, password: string): void {
  const { identity, context } = rotation;
  const { origin, replaced } = chosenIn(pending, rotation, password);
  const before = stored(rotation);
  const written = `the password that was written into Secret "${identity.name}"`;
  const isWrittenLost = before.state === 'edited' && storedAfter(before, password, replaced).state === 'confirmed';
  const what = isEdit(origin) ? `${written} was set` : `the password was set${isWrittenLost ? `, in place of ${written}` : ''}`;
  const holders = foreignFinalizers(pending);
  const rest = holders.length === 0 ? '' : `; Secret "${pending.metadata.name}" stays until the finalizer ${holders.join(', ')} lets it go`;
  const message = `${what}; Secret "${identity.name}" has it${rest}`;
  context.events.record(identity.owner, { type: 'Normal', reason: 'RotatingPassword', message });
}

/** Whether the cloud will refuse this password at every try. */
function isRejected({ changedNothing, kind }: CloudError): boolean {
  return changedNothing && (kind === 'invalid' || kind === 'forbidden' || kind === 'unauthorized' || kind === 'notFound');
}
