import { otherSecrets, readPassword } from '../connection/observe-connection.ts';
import { putConnection, removeConnections } from '../connection/write-connection.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { Context } from '../process/context.ts';
import type { Action } from '../step/action.ts';
import { conflictAt } from '../step/kubernetes-trouble.ts';
import type { Outcome } from '../step/outcome.ts';
import { recoverPassword } from './bind-entry.ts';
import { entryOf } from '../record/record.ts';
import { SecretRefused, SecretTaken } from '../connection/secret-refused.ts';
import { passwordOf, resourceHash } from '../ledger/entry.ts';
import { KubernetesError, referenceOf } from '../../runtime/index.ts';
import type { Connection, ConnectionWrite } from '../step/connection.ts';

/** Writes the connection Secret from its inputs and the password in the ledger. */
export async function storeConnection(
  { write, isEdited }: Extract<Action, { type: 'storeConnection' }>,
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

/** Deletes the connection Secrets that a rename in the spec left behind, once the Secret of the present name is complete. */
export async function dropConnections(
  { write, names }: Extract<Action, { type: 'dropConnections' }>,
  object: ManagedObject,
  context: Context,
): Promise<Outcome> {
  const left = otherSecrets(object, write.resource, context).filter(({ metadata }) => names.includes(metadata.name));
  await removeConnections(left, context);
  return { type: 'done', object };
}

/** The answer to a create, as far as the connection Secret shows it. */
interface FirstPassword {
  readonly id: string;
  readonly projectId: string;
  readonly password: string;
  readonly direct: Connection['direct'];
  readonly connection: Omit<ConnectionWrite, 'resource' | 'password'>;
}

/** Creates the connection Secret right after the create. If that fails, the ledger has the password, and the next visit reports a cause that lasts. */
export async function showFirstPassword(answer: FirstPassword, object: ManagedObject, context: Context): Promise<void> {
  const { id, projectId, password } = answer;
  const stored = passwordOf(entryOf(object, context.caches), id);
  if (!stored) return;
  const write: ConnectionWrite = {
    ...answer.connection,
    connection: { ...answer.connection.connection, direct: answer.direct },
    resource: resourceHash(object.kind, projectId, id),
    password: stored,
  };
  try {
    await putConnection(write, object, password, context);
  } catch (error) {
    if (!(error instanceof KubernetesError || error instanceof SecretRefused || error instanceof SecretTaken)) throw error;
    const why = error instanceof KubernetesError ? error.kind : error.message;
    context.log.debug({ object: referenceOf(object), why }, 'the first password is not in its connection Secret yet');
  }
}
