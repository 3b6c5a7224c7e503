import { entryKey, entryName, entryOf, describeUnreadable, resourceHash } from '../ledger/entry.ts';
import { leftEntries } from '../observe/earlier-objects.ts';
import { otherSecrets, readSecret } from '../connection/observe-connection.ts';
import { isOfResource, passwordNumberIn } from '../connection/projection.ts';
import { secretNameOf } from '../../resources/connection-secret.ts';
import {
  createEntry,
  deleteEntry,
  emptied,
  entriesAbout,
  LedgerUnusable,
  newContent,
  noPasswords,
  readEntry,
  updateEntry,
  withRotationAnswered,
} from '../ledger/write-entry.ts';
import {
  passwordKeys,
  recordIn,
  withRecord,
  type EntryContent,
  type LedgerEntry,
} from '../../resources/ledger-entry.ts';
import { isKind, resourceTypes, type ManagedObject } from '../../resources/managed-object.ts';
import {
  isLetGo,
  KubernetesError,
  objectReference,
  referenceOf,
  resourceKey,
  type ResourceKey,
  type ResourceType,
} from '../../runtime/index.ts';
import { ownedByAnother, type Neighbour } from '../situation/neighbours.ts';
import { hasReason } from '../../resources/condition.ts';
import type { Context } from '../wiring/context.ts';
import {
  type AdoptAction,
  type DropEntriesAction,
  type RebindAction,
  keep,
  wait,
} from '../step/step.ts';
import { overtaken } from '../step/errors.ts';
import type { Outcome } from '../step/outcome.ts';
import { addFinalizer, holdObject, readObject, unlessChanged } from './patch-object.ts';

/** Passwords of the resource from elsewhere, and the part of the content that describes them. */
interface Found {
  readonly content: Partial<EntryContent>;
  readonly data: Readonly<Record<string, string>>;
}

/**
 * Takes over a resource that no other object has. A live LIST shows another owner before anything is written. Two
 * objects may adopt at once: a second LIST shows that after the write, and this object withdraws.
 */
export async function adopt(
  { noun, id, record }: AdoptAction,
  object: ManagedObject,
  context: Context,
): Promise<Outcome> {
  const lookAgain: Outcome = {
    type: 'conflict',
    step: keep(wait('Adopting', `looking again to whom ${id} belongs`)),
  };
  // Other processes claim, too, and their events may be late.
  await context.shard?.catchUp();
  unlessChanged(object, context);
  const owner = context.claims.ownerOf(object.kind, record.projectId ?? '', id);
  if (owner !== undefined && owner.uid !== object.metadata.uid) return lookAgain;
  const resource = resourceHash(object.kind, record.projectId ?? '', id);
  // The caches do not have the objects of another installation that shares the ledger.
  const about = await entriesAbout(resource, context);
  const other = await rivalIn(about, object, context);
  if (other) {
    const others = [objectReference(other.kind, other.key)];
    const isNew = !hasReason(object, 'OwnedByAnother');
    if (isNew)
      context.log.info(
        { object: referenceOf(object), id, others },
        'the resource to adopt belongs to another object',
      );
    return { type: 'stalled', step: ownedByAnother(`${noun} ${id}`, object, other), object };
  }
  // Before the entry: a deletion of the object must wait from now on.
  const finalized = await addFinalizer(object, context);
  const before = entryOf(object, context.caches);
  const found = await passwordsOf(object, resource, context);
  const claimedAt = new Date(context.clock.now()).toISOString();
  const known = emptied(before?.content ?? newContent(object, context.clusterUid));
  const content = withRotationAnswered(
    {
      ...withRecord(known, { ...record, claimedAt, ...earlierRequests(about, claimedAt) }),
      ...found?.content,
      ...unansweredCall(about, claimedAt),
    },
    object,
  );
  const passwords = { ...noPasswords, ...found?.data };
  const written = before
    ? await updateEntry(before, content, passwords, context)
    : await createEntry(object, content, passwords, context);
  let isOurs = false;
  try {
    isOurs = !(await rivalIn(await entriesAbout(resource, context), object, context));
  } finally {
    if (!isOurs)
      await (before
        ? updateEntry(written, known, noPasswords, context)
        : deleteEntry(written, context));
  }
  if (!isOurs) return lookAgain;
  const held = await holdObject(finalized, context);
  return { type: 'done', object: held, accepted: { operation: 'adopt', wanted: id } };
}

/**
 * The first entry of another living object, among entries that a live LIST has shown: its object.
 * @throws {LedgerUnusable} when the entry of another object cannot be read
 */
async function rivalIn(
  entries: readonly LedgerEntry[],
  object: ManagedObject,
  context: Context,
): Promise<Neighbour | undefined> {
  for (const { metadata, content } of entries) {
    if (metadata.name === entryName(object)) continue;
    if (!content) throw new LedgerUnusable(describeUnreadable({ metadata, content }));
    const { kind, namespace, name } = content.object;
    if (await isAlive(content.object, context)) return { kind, key: resourceKey(namespace, name) };
  }
  return undefined;
}

/**
 * The last password call without an answer to a resource, by all entries about it, also of other namespaces. If it arrives
 * late, it undoes a later password. A process may have sent a `next` password until now.
 * @param now RFC 3339
 */
function unansweredCall(
  entries: readonly LedgerEntry[],
  now: string,
): Pick<EntryContent, 'unansweredAt'> {
  const [unansweredAt] = entries
    .flatMap(({ content }) => (content?.next ? now : (content?.unansweredAt ?? [])))
    .toSorted((a, b) => b.localeCompare(a));
  return unansweredAt === undefined ? {} : { unansweredAt };
}

/**
 * The peerings of earlier objects, as requests without an answer: a list may not show them yet, and another request would
 * make a second peering. This object did not make them.
 * @param now RFC 3339
 */
function earlierRequests(
  entries: readonly LedgerEntry[],
  now: string,
): Pick<EntryContent, 'peerings'> {
  const keys = entries.flatMap(({ content }) => Object.keys(content?.peerings ?? {}));
  if (keys.length === 0) return {};
  return { peerings: Object.fromEntries(keys.map((key) => [key, { pendingSince: now }])) };
}

/**
 * Takes over the entry of an earlier object of this name, or the object's own entry from another cluster. It
 * never takes over a decision to delete. A later visit deletes the source entry.
 */
export async function rebind(
  { entry: name }: RebindAction,
  object: ManagedObject,
  context: Context,
): Promise<Outcome> {
  const live = await readObject(object, context);
  const source = await readEntry(name, context);
  if (live?.metadata.resourceVersion !== object.metadata.resourceVersion || !source?.content)
    throw overtaken(`take over ledger entry ${name}`);
  const { object: of, clusterUid } = newContent(object, context.clusterUid);
  const { deletionStarted: _decided, isShared: _shared, ...earlier } = recordIn(source);
  const record = { ...earlier, isRestored: true } as const;
  // A restored object may have the rotation text of an older backup.
  const isOutdated = isAboutLaterElsewhere(source.content, context);
  // As for an adopted service, the operator sets no password unasked.
  const known = isOutdated
    ? withRecord(emptied(source.content), { ...record, outcome: 'adopted' })
    : withRecord(source.content, record);
  const now = new Date(context.clock.now()).toISOString();
  const about = await entriesAbout(resourceOf(source.content), context);
  const content = withRotationAnswered(
    { ...known, object: of, clusterUid, ...unansweredCall(about, now) },
    object,
  );
  const passwords = isOutdated
    ? noPasswords
    : Object.fromEntries(Object.values(passwordKeys).map((key) => [key, source.data[key] ?? null]));
  const before = entryOf(object, context.caches);
  if (before) await updateEntry(before, content, passwords, context);
  else await createEntry(object, content, passwords, context);
  return { type: 'done', object: await holdObject(object, context) };
}

/** The passwords of a resource outside the object's own entry: in an earlier entry, otherwise in the connection Secret. */
async function passwordsOf(
  object: ManagedObject,
  resource: string,
  context: Context,
): Promise<Found | undefined> {
  const inLedger = await fromLeftover(object, resource, context);
  if (isLaterElsewhere(object, resource, context)) return inLedger;
  const isKnown = inLedger?.content.hasPassword === true || inLedger?.content.next !== undefined;
  if (isKnown) return inLedger;
  const inSecret = await fromSecret(object, resource, context);
  // An entry without a password that is not older than the Secret knows that this password is outdated.
  const isNewer = (inSecret?.content.passwordNumber ?? 0) > (inLedger?.content.passwordNumber ?? 0);
  return isNewer ? inSecret : inLedger;
}

/** The entry about this resource of an object that is gone and was in the same namespace. */
async function fromLeftover(
  object: ManagedObject,
  resource: string,
  context: Context,
): Promise<Found | undefined> {
  const newestFirst = leftEntries(object, resource, context).toSorted(
    ({ content: a }, { content: b }) => (b?.passwordNumber ?? 0) - (a?.passwordNumber ?? 0),
  );
  for (const { metadata } of newestFirst) {
    const leftover = await readEntry(metadata.name, context);
    if (!leftover?.content || (await isAlive(leftover.content.object, context))) continue;
    const { passwordNumber, hasPassword, passwordFrom, next, unclear } = leftover.content;
    if (isAboutLaterElsewhere(leftover.content, context))
      return { content: { passwordNumber, hasPassword: false }, data: {} };
    return {
      content: { passwordNumber, hasPassword, passwordFrom, next, unclear },
      data: leftover.data,
    };
  }
  return undefined;
}

/**
 * Whether an object of another namespace took over the resource after this entry, so that the passwords of the entry may be
 * outdated.
 */
function isAboutLaterElsewhere(entry: EntryContent, { caches }: Context): boolean {
  const { object, claimedAt = '' } = entry;
  return caches.ledger
    .ofResource(resourceOf(entry))
    .some(
      ({ content }) =>
        content?.object.namespace !== object.namespace && (content?.claimedAt ?? '') > claimedAt,
    );
}

function resourceOf({ object: { kind }, projectId = '', id = '' }: EntryContent): string {
  return resourceHash(kind, projectId, id);
}

/** Whether the last object with the resource was in another namespace: the Secrets here may have an earlier password. */
function isLaterElsewhere(object: ManagedObject, resource: string, { caches }: Context): boolean {
  const [last] = caches.ledger
    .ofResource(resource)
    .flatMap(({ content }) => content ?? [])
    .toSorted(({ claimedAt: a = '' }, { claimedAt: b = '' }) => b.localeCompare(a));
  return last !== undefined && last.object.namespace !== object.metadata.namespace;
}

/** Deletes the entries of earlier objects about the same resource, each after a live GET of its object. */
export async function dropEntries(
  { names }: DropEntriesAction,
  object: ManagedObject,
  context: Context,
): Promise<Outcome> {
  for (const name of names) {
    const entry = context.caches.ledger.entries.get(entryKey(name, context.caches));
    if (entry?.content && !(await isAlive(entry.content.object, context)))
      await deleteEntry(entry, context);
  }
  return { type: 'done', object };
}

async function isAlive(
  { kind, namespace, name, uid }: EntryContent['object'],
  { kubernetes }: Context,
): Promise<boolean> {
  if (!isKind(kind)) return true;
  const live = await readNeighbour(resourceTypes[kind], resourceKey(namespace, name), kubernetes);
  if (live === 'hidden') return true;
  // An object that the operator has released is gone, even if a foreign finalizer holds it.
  return live?.metadata.uid === uid && !isLetGo(live, resourceTypes[kind].finalizer);
}

/** `hidden`: the object's namespace belongs to another installation, so this operator may not read the object. */
async function readNeighbour(
  type: ResourceType<ManagedObject>,
  key: ResourceKey,
  kubernetes: Context['kubernetes'],
): Promise<ManagedObject | 'hidden' | undefined> {
  try {
    return await kubernetes.get<ManagedObject>(type, key);
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === 'forbidden') return 'hidden';
    throw error;
  }
}

/** The newest password of the resource in its connection Secrets, among them those of earlier objects. */
async function fromSecret(
  object: ManagedObject,
  resource: string,
  context: Context,
): Promise<Found | undefined> {
  if (object.kind !== 'ManagedService') return undefined;
  const { namespace } = object.metadata;
  const names = [
    secretNameOf(object),
    ...otherSecrets(object, resource, context).map(({ metadata }) => metadata.name),
  ];
  let newest: Found | undefined;
  let highest = 0;
  for (const name of new Set(names)) {
    const live = await readSecret(namespace, name, context);
    const password = live?.data['password'];
    if (!live || password === undefined || password === '' || !isOfResource(live, resource))
      continue;
    const passwordNumber = Math.max(passwordNumberIn(live), 1);
    if (passwordNumber <= highest) continue;
    highest = passwordNumber;
    const content = { passwordNumber, hasPassword: true };
    newest = { content, data: { [passwordKeys.present]: password } };
  }
  return newest;
}
