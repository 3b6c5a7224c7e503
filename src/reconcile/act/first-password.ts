import { entryOf } from '../record/own-entry.ts';
import { putConnection } from '../connection/write-connection.ts';
import { SecretRefused, SecretTaken } from '../connection/secret-refused.ts';
import { passwordOf, resourceHash } from '../ledger/entry.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { KubernetesError, referenceOf } from '../../runtime/index.ts';
import type { Context } from '../process/context.ts';
import type { Connection, ConnectionWrite } from '../step/connection.ts';

interface FirstPassword {
  readonly id: string;
  readonly projectId: string;
  readonly password: string;
  readonly direct: Connection['direct'];
  readonly connection: Omit<ConnectionWrite, 'resource' | 'password'>;
}

/**
 * Creates the connection Secret right after the create. If that fails, the ledger has the password, and the
 * next visit reports a lasting cause.
 */
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
