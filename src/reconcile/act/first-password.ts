import { putConnection } from '../connection/write-connection.ts';
import { SecretRefused, SecretTaken } from '../connection/secret-refused.ts';
import { describeUnreadable, entryName, entryOf, resourceHash } from '../ledger/entry.ts';
import { createEntry, emptied, LedgerUnusable, newContent, noPasswords, updateEntry } from '../ledger/write-entry.ts';
import { passwordKeys, type EntryContent, type LedgerEntry } from '../../resources/ledger-entry.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { KubernetesError, referenceOf } from '../../runtime/index.ts';
import type { Context } from '../process/context.ts';
import type { Connection, ConnectionWrite } from '../step/connection.ts';

/**
 * The entry of an object, which is created before the cloud is asked for anything: the ledger must be able to take the password.
 * @throws {LedgerUnusable}
 */
export async function openEntry(object: ManagedObject, context: Context): Promise<LedgerEntry> {
  const entry = entryOf(object, context.caches) ?? (await createEntry(object, newContent(object, context.clusterUid), {}, context));
  if (!entry.content) throw new LedgerUnusable(describeUnreadable(entry));
  return entry;
}

/** The answer to a create, as far as it concerns the password. */
export interface FirstPassword {
  readonly id: string;
  readonly projectId: string;
  readonly password: string;
  readonly direct: Connection['direct'];
  /** The request in the spec that this password answers; undefined if there is none. */
  readonly requested: string | undefined;
  readonly connection: Omit<ConnectionWrite, 'resource' | 'password'>;
}

/**
 * Stores the password from the answer to a create: in the entry, which alone keeps it, then in the connection Secret. The entry is written only in the version
 * from before the request: if another process has resolved the attempt meanwhile, it may have set another password. A password that cannot be stored is lost,
 * and a later visit sets another one.
 */
export async function storeFirstPassword(
  answer: FirstPassword,
  entry: LedgerEntry,
  object: ManagedObject,
  context: Context,
): Promise<void> {
  const { id, projectId, password, requested } = answer;
  const before = emptied(entry.content ?? newContent(object, context.clusterUid));
  const passwordNumber = before.passwordNumber + 1;
  const content: EntryContent = {
    ...before,
    projectId,
    id,
    outcome: 'created',
    passwordNumber,
    hasPassword: true,
    ...(requested === undefined ? {} : { passwordFrom: requested }),
  };
  const data = { ...noPasswords, [passwordKeys.present]: password };
  try {
    await updateEntry(entry, content, data, { ...context, kubernetes: context.recording });
    const write: ConnectionWrite = {
      ...answer.connection,
      connection: { ...answer.connection.connection, direct: answer.direct },
      resource: resourceHash(object.kind, projectId, id),
      password: { entry: entryName(object), id, number: passwordNumber },
    };
    await putConnection(write, object, password, context);
  } catch (error) {
    if (!(error instanceof KubernetesError || error instanceof SecretRefused || error instanceof SecretTaken)) throw error;
    // The next visit reports the cause, if it lasts.
    const why = error instanceof KubernetesError ? error.kind : error.message;
    context.log.debug({ object: referenceOf(object), why }, 'the first password is not in its connection Secret yet');
  }
}
