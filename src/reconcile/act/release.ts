import { keyOf, KubernetesError, referenceOf } from '../../runtime/index.ts';
import { otherSecrets } from '../connection/observe-connection.ts';
import { removeConnections } from '../connection/write-connection.ts';
import { entryOf, leftEntries, resourceHash } from '../ledger/entry.ts';
import { deleteEntry, emptied, noPasswords, updateEntry } from '../ledger/write-entry.ts';
import type { EntryContent, LedgerEntry } from '../../resources/ledger-entry.ts';
import type { Context } from '../process/context.ts';
import type { Outcome } from '../step/outcome.ts';
import type { Step } from '../step/step.ts';
import { dropFinalizer } from './patch-object.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/**
 * Releases the object. If the resource is gone, its connection Secrets and its ledger entry go first. If it is retained, both stay, and an object that adopts
 * it later finds the password. The object's finalizer is removed last, so that a failure before is retried.
 */
export async function release(
  { message, released }: Extract<Step, { type: 'release' }>,
  object: ManagedObject,
  context: Context,
): Promise<Outcome> {
  const { id, projectId, fate } = released;
  const entry = entryOf(object, context.caches);
  switch (fate) {
    case 'gone': {
      const resource = id === undefined || projectId === undefined ? undefined : resourceHash(object.kind, projectId, id);
      await removeConnections(otherSecrets(object, resource, context), context);
      for (const left of resource === undefined ? [] : leftEntries(object, resource, context)) await deleteEntry(left, context);
      if (entry && (entry.content || id !== undefined)) await deleteEntry(entry, context);
      break;
    }
    case 'retained':
      if (entry?.content && id === undefined) await deleteEntry(entry, context);
      if (entry?.content && id !== undefined && projectId !== undefined)
        await retain({ id, projectId }, entry, entry.content, object, context);
      break;
    case 'foreign':
      break;
    case 'abandoned':
      context.events.record(object, { type: 'Warning', reason: 'Abandoned', message });
  }
  logRelease(message, id, object, context);
  context.memory.of(object.kind, keyOf(object)).releasedUid = object.metadata.uid;
  await unlessGone(dropFinalizer(object, context));
  return { type: 'nothing' };
}

/** The entry of a retained resource knows its id. An event names a password that is missing or in flight, since no status does afterwards. */
async function retain(
  { id, projectId }: { readonly id: string; readonly projectId: string },
  entry: LedgerEntry,
  content: EntryContent,
  object: ManagedObject,
  context: Context,
): Promise<void> {
  const isBound = content.id === id;
  if (!isBound) {
    await updateEntry(entry, { ...emptied(content), id, projectId, outcome: 'created' }, noPasswords, context);
  }
  const adopt = `adopt it in this namespace with the annotation managed-db.io/external-id=${id}`;
  const tell = (message: string) => context.events.record(object, { type: 'Warning', reason: 'RotatingPassword', message });
  if (isBound && content.next)
    tell(`service ${id} stays in project ${projectId} while a new password is in flight: to complete it, ${adopt}`);
  else if (!isBound || !content.hasPassword)
    tell(`service ${id} stays in project ${projectId} and its password is not known: ${adopt}, and set spec.password.rotation`);
}

/** Logs the release, since no object is left for a status. Until the cache has the deletion, a second visit may release again; that one is not logged. */
function logRelease(message: string, id: string | undefined, object: ManagedObject, { log, memory }: Context): void {
  if (memory.of(object.kind, keyOf(object)).releasedUid === object.metadata.uid) return;
  log.info({ object: referenceOf(object), ...(id === undefined ? {} : { id }) }, message);
}

/** Somebody else may have removed it. */
async function unlessGone(write: Promise<void>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof KubernetesError && error.kind === 'notFound')) throw error;
  }
}
