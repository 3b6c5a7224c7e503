import { otherSecrets, readPassword } from '../connection/observe-connection.ts';
import { putConnection, removeConnections } from '../connection/write-connection.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { Context } from '../process/context.ts';
import type { DropConnectionsAction, StoreConnectionAction } from '../step/action.ts';
import { conflictAt } from '../step/kubernetes-trouble.ts';
import type { Outcome } from '../step/outcome.ts';
import { recoverPassword } from './bind-entry.ts';

export async function storeConnection(
  { write, isEdited }: StoreConnectionAction,
  object: ManagedObject,
  context: Context,
): Promise<Outcome> {
  const password = await readPassword(write.password, context);
  if (write.password && password === undefined && (await recoverPassword(object, context))) return { type: 'done', object };
  if (write.password && password === undefined)
    return { type: 'conflict', step: conflictAt(`the ledger entry for Secret "${write.name}" has changed`) };
  await putConnection(write, object, password, context);
  if (isEdited) {
    const message = `Secret "${write.name}" was edited and is restored: to set a password, use spec.password`;
    context.events.record(object, { type: 'Warning', reason: 'SecretConflict', message });
  }
  return { type: 'done', object };
}

/** Deletes the connection Secrets that a rename in the spec left behind, once the new Secret is complete. */
export async function dropConnections({ write, names }: DropConnectionsAction, object: ManagedObject, context: Context): Promise<Outcome> {
  const left = otherSecrets(object, write.resource, context).filter(({ metadata }) => names.includes(metadata.name));
  await removeConnections(left, context);
  return { type: 'done', object };
}
