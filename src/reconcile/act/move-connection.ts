import { keyOf } from '../../runtime/index.ts';
import { isOfResource } from '../connection/ownership.ts';
import { releaseSecret, provenance, readSecret, removeSecret } from '../connection/store.ts';
import type { Context } from '../process/context.ts';
import { conflictAt } from '../step/kubernetes-trouble.ts';
import { recordIn } from '../record/record.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { Action } from '../step/action.ts';
import type { Outcome } from '../step/outcome.ts';
import { writeRecord } from './patch-object.ts';
import { storeConnection } from './store-connection.ts';

/** Creates the complete connection Secret under its new name, before the old one is removed. Apps can change over in between. */
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
  const there = await readSecret(namespace, to, context);
  // A copy that is being deleted has no data that the old Secret lacks, and would disappear once it is complete.
  if (there?.metadata.deletionTimestamp && isOfResource(there, identity)) await releaseSecret(keyOf(there), there.metadata.uid, context);
  const moved = { ...write, secret: { ...write.secret, name: to }, passwordFrom: write.passwordFrom ?? name };
  const stored = await storeConnection(moved, owner, context, provenance(old));
  if (stored.type !== 'done') return stored;
  return { type: 'done', object: await writeRecord(owner, record, context) };
}

/** Removes a Secret that is no longer needed, and then its name from the record, if it is there. */
export async function dropConnection(
  { name, record }: Extract<Action, { type: 'dropConnection' }>,
  owner: ManagedObject,
  context: Context,
): Promise<Outcome> {
  const old = await readSecret(owner.metadata.namespace, name, context);
  if (old && isOfResource(old, { owner, id: recordIn(owner).id })) await removeSecret(old, context);
  return { type: 'done', object: record === undefined ? owner : await writeRecord(owner, record, context) };
}
