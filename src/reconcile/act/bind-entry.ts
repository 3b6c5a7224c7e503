import { otherSecrets, readSecret } from '../connection/observe-connection.ts';
import { isOfResource, passwordNumberIn } from '../connection/projection.ts';
import { entryKey, entryOf, leftEntries, resourceHash } from '../ledger/entry.ts';
import { createEntry, deleteEntry, emptied, newContent, noPasswords, readEntry, updateEntry } from '../ledger/write-entry.ts';
import { passwordKeys, type EntryContent, type LedgerEntry } from '../../resources/ledger-entry.ts';
import { isKind, resourceTypes, type ManagedObject } from '../../resources/managed-object.ts';
import { isLetGo, resourceKey } from '../../runtime/index.ts';
import type { Context } from '../process/context.ts';
import type { Action } from '../step/action.ts';
import { conflictAt } from '../step/kubernetes-trouble.ts';
import type { Outcome } from '../step/outcome.ts';
import { readObject } from './patch-object.ts';

type Bind = Extract<Action, { type: 'bindEntry' }>;

/** Passwords of the resource from elsewhere, and the part of the content that describes them. */
interface Found {
  readonly content: Pick<EntryContent, 'passwordNumber' | 'hasPassword' | 'passwordFrom' | 'next' | 'unclear' | 'unansweredAt'>;
  readonly data: Readonly<Record<string, string>>;
}

/**
 * Makes the object's entry about its resource, in one write that replaces all passwords. The passwords come from the entry of an object that is gone, in the
 * same namespace, or from the connection Secret of exactly this resource; the newer of the two counts. Otherwise none is known.
 */
export async function bindEntry(action: Bind, object: ManagedObject, context: Context): Promise<Outcome> {
  const { id, projectId, outcome } = action;
  // A cache may have an object that is gone, after a restore of etcd: without this look its database would get another password.
  const live = await readObject(object, context);
  if (live?.metadata.uid !== object.metadata.uid || live.metadata.resourceVersion !== object.metadata.resourceVersion)
    return { type: 'conflict', step: conflictAt(`${object.kind} ${object.metadata.name} has changed`) };
  const resource = resourceHash(object.kind, projectId, id);
  const before = entryOf(object, context.caches);
  const inLedger = await fromLeftover(object, resource, context);
  const inSecret = await fromSecret(object, action, resource, context);
  const inLedgerNumber = inLedger?.content.hasPassword === true ? inLedger.content.passwordNumber : 0;
  const isSecretNewer = inSecret !== undefined && inSecret.content.passwordNumber > inLedgerNumber;
  const found = isSecretNewer && inLedger?.content.next === undefined ? inSecret : (inLedger ?? inSecret);
  const content: EntryContent = {
    ...emptied(before?.content ?? newContent(object, context.clusterUid)),
    // An adopted service keeps its password: a rotation text from before is no new request.
    ...(outcome === 'adopted' && action.requested !== undefined ? { passwordFrom: action.requested } : {}),
    ...found?.content,
    projectId,
    id,
    outcome,
  };
  const passwords = { ...noPasswords, ...found?.data };
  if (before) await updateEntry(before, content, passwords, context);
  else await createEntry(object, content, passwords, context);
  return { type: 'done', object };
}

/** The entry of another object about this resource, if that object is gone and was in the same namespace. */
async function fromLeftover(object: ManagedObject, resource: string, context: Context): Promise<Found | undefined> {
  const newestFirst = leftEntries(object, resource, context).toSorted((a, b) => numberIn(b) - numberIn(a));
  for (const { metadata } of newestFirst) {
    const leftover = await readEntry(metadata.name, context);
    if (!leftover?.content || (await isAlive(leftover.content.object, context))) continue;
    const { passwordNumber, hasPassword, passwordFrom, next, unclear, unansweredAt } = leftover.content;
    return { content: { passwordNumber, hasPassword, passwordFrom, next, unclear, unansweredAt }, data: leftover.data };
  }
  return undefined;
}

function numberIn({ content }: LedgerEntry): number {
  return content?.passwordNumber ?? 0;
}

/** Deletes the entries of earlier objects about the same resource. A live GET of the object precedes each deletion. */
export async function dropEntries(
  { names }: Extract<Action, { type: 'dropEntries' }>,
  object: ManagedObject,
  context: Context,
): Promise<Outcome> {
  for (const name of names) {
    const entry = context.caches.ledger.entries.get(entryKey(name, context.caches));
    if (entry?.content && !(await isAlive(entry.content.object, context))) await deleteEntry(entry, context);
  }
  return { type: 'done', object };
}

async function isAlive({ kind, namespace, name, uid }: EntryContent['object'], { kubernetes }: Context): Promise<boolean> {
  if (!isKind(kind)) return true;
  const live = await kubernetes.get<ManagedObject>(resourceTypes[kind], resourceKey(namespace, name));
  // An object that the operator has released is gone, however long a finalizer of another tool holds it.
  return live?.metadata.uid === uid && !isLetGo(live, resourceTypes[kind].finalizer);
}

/** The password in the connection Secret of this resource. */
async function fromSecret(
  object: ManagedObject,
  { secret, requested }: Bind,
  resource: string,
  context: Context,
): Promise<Found | undefined> {
  const { namespace } = object.metadata;
  const names = [secret, ...otherSecrets(object, resource, context).map(({ metadata }) => metadata.name)];
  for (const name of new Set(names)) {
    const live = await readSecret(namespace, name, context);
    const password = live?.data['password'];
    if (!live || password === undefined || password === '' || !isOfResource(live, resource)) continue;
    const number = Math.max(passwordNumberIn(live), 1);
    return { content: { passwordNumber: number, hasPassword: true, passwordFrom: requested }, data: { [passwordKeys.present]: password } };
  }
  return undefined;
}
