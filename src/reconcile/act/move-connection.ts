import { keyOf } from '../../runtime/index.ts';
import { isOurs } from '../connection/ours.ts';
import { letGo, provenance, readSecret, removeSecret } from '../connection/store.ts';
import type { Context } from '../process/context.ts';
import { overtakenAt } from '../step/kubernetes-trouble.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { Action } from '../step/action.ts';
import type { Outcome } from '../step/outcome.ts';
import { writeRecord } from './patch-object.ts';
import { storeConnection } from './store-connection.ts';

/** Makes the connection Secret under its new name, complete, before the old one goes: apps change over in between. */
export async function moveConnection(
  { to, record, ...write }: Extract<Action, { type: 'moveConnection' }>,
  owner: ManagedObject,
  context: Context,
): Promise<Outcome> {
  const { name } = write.secret;
  const { namespace } = owner.metadata;
  const old = await readSecret(namespace, name, context);
  // Gone since it was looked at: what becomes of its password is decided anew.
  if (!old) return { type: 'overtaken', step: overtakenAt(`Secret "${name}" is not there to be moved`) };
  const there = await readSecret(namespace, to, context);
  // A copy that is being deleted has nothing that the old one lacks, and would go when it is complete.
  if (there?.metadata.deletionTimestamp && isOurs(there, owner)) await letGo(keyOf(there), there.metadata.uid, context);
  const moved = { ...write, secret: { ...write.secret, name: to }, passwordFrom: write.passwordFrom ?? name };
  const stored = await storeConnection(moved, owner, context, provenance(old));
  if (stored.type !== 'done') return stored;
  return { type: 'done', object: await writeRecord(owner, record, context) };
}

/** Removes a Secret of ours that is needed no more, and then the memory of its name, if there is one. */
export async function dropConnection(
  { name, record }: Extract<Action, { type: 'dropConnection' }>,
  owner: ManagedObject,
  context: Context,
): Promise<Outcome> {
  const old = await readSecret(owner.metadata.namespace, name, context);
  if (old && isOurs(old, owner)) await removeSecret(old, context);
  return { type: 'done', object: record === undefined ? owner : await writeRecord(owner, record, context) };
}
