import { keyOf } from '../../runtime/index.ts';
import { isOfResource } from '../connection/ownership.ts';
import { hasPassword, storedPassword } from '../connection/stored-password.ts';
import { provenance, putSecret, readSecret, releaseSecret, removeSecret, type SecretIdentity } from '../connection/store.ts';
import type { SecretWithData } from '../../resources/connection-secret.ts';
import type { Context } from '../process/context.ts';
import { conflictAt } from '../step/kubernetes-trouble.ts';
import { recordIn } from '../record/record.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { Action } from '../step/action.ts';
import type { Outcome } from '../step/outcome.ts';
import { writeRecord } from './patch-object.ts';
import { storeConnection } from './store-connection.ts';

/**
 * Creates the complete connection Secret under its new name, before the old one is removed. Apps can change over in between. The record has the new name
 * before the Secret is made: if the spec changes meanwhile, that Secret is known, and dropped.
 */
export async function moveConnection(
  { to, record, ...write }: Extract<Action, { type: 'moveConnection' }>,
  owner: ManagedObject,
  context: Context,
): Promise<Outcome> {
  const { name } = write.secret;
  const { namespace } = owner.metadata;
  const old = await readSecret(namespace, name, context);
  // The old Secret was deleted or replaced meanwhile: the next visit decides about the password.
  const identity = { ...write.secret, owner };
  if (!old || !isOfResource(old, identity)) return { type: 'conflict', step: conflictAt(`Secret "${name}" is not there to be moved`) };
  const before = recordIn(owner);
  const begun = before.nextSecretName === to ? owner : await writeRecord(owner, { ...before, nextSecretName: to }, context);
  const there = await readSecret(namespace, to, context);
  // A copy that is being deleted, and has no password that the old Secret lacks, would disappear once it is complete.
  const mayGo = there !== undefined && isOfResource(there, identity) && (hasPassword(old) || !hasPassword(there));
  if (there?.metadata.deletionTimestamp && mayGo) await releaseSecret(keyOf(there), there.metadata.uid, context);
  const moved = { ...write, secret: { ...write.secret, name: to }, passwordFrom: write.passwordFrom ?? name };
  const stored = await storeConnection(moved, begun, context, provenance(old, identity.id));
  if (stored.type !== 'done') return stored;
  return { type: 'done', object: await writeRecord(begun, record, context) };
}

/**
 * Removes a Secret that is no longer needed, and then its name from the record, if it is there. A password that somebody wrote into it since the move is a
 * request, and is written into the connection Secret first. It is removed in the version that was read. Where nothing else has the password any more, it is the
 * connection Secret again.
 */
export async function dropConnection(
  { name, secret, record }: Extract<Action, { type: 'dropConnection' }>,
  owner: ManagedObject,
  context: Context,
): Promise<Outcome> {
  const identity: SecretIdentity = { ...secret, owner };
  const { namespace } = owner.metadata;
  const old = await readSecret(namespace, name, context);
  if (old && isOfResource(old, identity)) {
    if (record !== undefined) {
      const current = await readSecret(namespace, secret.name, context);
      const isThere = current !== undefined && isOfResource(current, identity) && hasPassword(current);
      if (!isThere && hasPassword(old)) return { type: 'done', object: await writeRecord(owner, { ...record, secretName: name }, context) };
      await carryOver(old, current, identity, context);
    }
    await removeSecret(old, context);
  }
  return { type: 'done', object: record === undefined ? owner : await writeRecord(owner, record, context) };
}

/** Writes an edited password of the old Secret into the present one. A password that was set or written there since the move counts before it. */
async function carryOver(
  old: SecretWithData,
  current: SecretWithData | undefined,
  identity: SecretIdentity,
  context: Context,
): Promise<void> {
  const edited = storedPassword(old);
  if (edited.state !== 'edited' || !current || edited.password === current.data['password']) return;
  const { owner } = identity;
  const [from, to] = [`Secret "${old.metadata.name}"`, `Secret "${identity.name}"`];
  const digestIn = (secret: SecretWithData) => provenance(secret, identity.id).passwordDigest;
  const isAsMoved = storedPassword(current).state === 'confirmed' && digestIn(current) === digestIn(old);
  if (isAsMoved) await putSecret(current, identity, { ...current.data, password: edited.password }, context);
  const message = isAsMoved
    ? `the password that was written into ${from} is carried over: ${to} has the connection now`
    : `the password that was written into ${from} is not set, for ${to} has another one since: write it there, if it is still wanted`;
  context.events.record(owner, { type: isAsMoved ? 'Normal' : 'Warning', reason: 'RotatingPassword', message });
}
