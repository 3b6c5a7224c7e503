import {
  describeUnreadable,
  entryKey,
  entryName,
  entryOf,
  resourceHash,
  type Ledger,
} from './entry.ts';
import { isDeepStrictEqual } from 'node:util';
import {
  annotationsOf,
  entryLabels,
  ledgerEntries,
  ledgerEntriesWithData,
  ledgerFinalizer,
  ledgerLabel,
  ledgerSecretType,
  longestContent,
  passwordKeys,
  withRecord,
  type EntryContent,
  type LedgerEntry,
  type LedgerEntryWithData,
  type ResourceRecord,
} from '../../resources/ledger-entry.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import {
  keyOf,
  KubernetesError,
  unlessNotFound,
  type KubernetesClient,
} from '../../runtime/index.ts';
import { rotationOrigin } from '../step/connection.ts';
import { altered, overtaken } from '../step/errors.ts';
import { wait, type WaitOrStall } from '../step/step.ts';

interface WithLedger {
  readonly caches: { readonly ledger: Ledger };
}
interface Reader extends WithLedger {
  readonly kubernetes: Pick<KubernetesClient, 'get'>;
}
interface Lister extends WithLedger {
  readonly kubernetes: Pick<KubernetesClient, 'list'>;
}
interface Writer extends WithLedger {
  readonly kubernetes: Pick<KubernetesClient, 'get' | 'create' | 'patch' | 'delete'>;
}

/** New passwords by key; null removes a password. Keys that are missing stay. */
export type PasswordChanges = Readonly<Record<string, string | null>>;

/** The ledger cannot be used, so that nothing is created. */
export class LedgerUnusable extends Error {
  override readonly name = 'LedgerUnusable';
  readonly step: WaitOrStall;

  constructor(message: string, reason: 'InternalError' | 'WaitingForLedger' = 'InternalError') {
    super(message);
    this.step = wait(reason, message);
  }
}

function withoutNamespace(namespace: string, problem: string): LedgerUnusable {
  return new LedgerUnusable(
    `the ledger namespace "${namespace}" is ${problem}`,
    'WaitingForLedger',
  );
}

/** The content of an entry that is about no resource yet. */
export function newContent(
  { kind, metadata: { namespace, name, uid } }: ManagedObject,
  clusterUid: string,
): EntryContent {
  return {
    version: 1,
    object: { kind, namespace, name, uid },
    clusterUid,
    passwordNumber: 0,
    hasPassword: false,
  };
}

/**
 * Writes the record into the entry of an object, without the passwords of another resource.
 * @param from the observed entry; default: as the cache has it
 * @throws {LedgerUnusable} when the ledger does not take it
 * @throws {KubernetesError} `conflict` when another process has written the entry
 */
export async function storeRecord(
  object: ManagedObject,
  record: ResourceRecord,
  context: Writer & { readonly clusterUid: string },
  from = entryOf(object, context.caches),
): Promise<LedgerEntry> {
  if (from && !from.content) throw new LedgerUnusable(describeUnreadable(from));
  const before = from?.content ?? newContent(object, context.clusterUid);
  const isOther = before.id !== undefined && before.id !== record.id;
  const isAdopted = record.outcome === 'adopted' && before.id !== record.id;
  const recorded = withRecord(isOther ? emptied(before) : before, record);
  const content = isAdopted ? withRotationAnswered(recorded, object) : recorded;
  if (!from) return createEntry(object, content, {}, context);
  return isDeepStrictEqual(content, before)
    ? from
    : updateEntry(from, content, isOther ? noPasswords : {}, context);
}

/** The content without any password. Together with {@link noPasswords}, a single write makes an entry about another resource. */
export function emptied(content: EntryContent): EntryContent {
  const {
    next: _next,
    unclear: _unclear,
    passwordFrom: _from,
    unansweredAt: _at,
    ...rest
  } = content;
  return { ...rest, hasPassword: false };
}

/**
 * The content of the entry that binds an object to an existing resource. The rotation text in the spec is from before,
 * so it requests no new password: the present password answers it, and so does a password in flight.
 */
export function withRotationAnswered(content: EntryContent, { spec }: ManagedObject): EntryContent {
  const rotation = 'password' in spec ? spec.password?.rotation : undefined;
  if (rotation === undefined) return content;
  const from = rotationOrigin(rotation);
  const { next, unclear } = content;
  return {
    ...content,
    passwordFrom: from,
    ...(next && { next: { ...next, from } }),
    ...(unclear && { unclear: { ...unclear, from } }),
  };
}

/** Removes all passwords of an entry. */
export const noPasswords: PasswordChanges = Object.fromEntries(
  Object.values(passwordKeys).map((key) => [key, null]),
);

/** Reads an entry with its passwords, live. Undefined if there is none. */
export function readEntry(
  name: string,
  { kubernetes, caches }: Reader,
): Promise<LedgerEntryWithData | undefined> {
  return kubernetes.get(ledgerEntriesWithData, entryKey(name, caches));
}

/** Reads all entries about a resource, live. Other clusters may have written them. */
export async function entriesAbout(
  resource: string,
  { kubernetes, caches }: Lister,
): Promise<readonly LedgerEntry[]> {
  const { items } = await kubernetes.list(ledgerEntries, {
    namespace: caches.ledger.namespace,
    labelSelector: `${entryLabels.resource}=${resource}`,
  });
  return items;
}

/**
 * Creates the entry of an object: the lock.
 * @throws {LedgerUnusable} when the ledger namespace is missing or is being deleted
 * @throws {KubernetesError} `altered` when the API server did not keep it as written, `conflict` when there is
 * another entry
 */
export async function createEntry(
  object: ManagedObject,
  content: EntryContent,
  passwords: PasswordChanges,
  context: Writer,
): Promise<LedgerEntryWithData> {
  const { namespace } = context.caches.ledger;
  const name = entryName(object);
  const body = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: ledgerSecretType,
    metadata: {
      name,
      finalizers: [ledgerFinalizer],
      labels: withoutNulls(labelsOf(content)),
      annotations: annotationsIn(content),
    },
    data: withoutNulls(encoded(passwords)),
  };
  context.caches.ledger.expects(name, content);
  try {
    const created = await context.kubernetes.create(ledgerEntriesWithData, namespace, body);
    // It may be unreadable.
    if (!isKept(created, content, passwords)) await deleteEntry(created, context);
    return kept(created, content, passwords, context);
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error;
    if (error.kind === 'placeMissing')
      throw withoutNamespace(namespace, 'missing: kubectl apply -f deploy/ledger-namespace.yaml');
    if (error.namespaceTerminating)
      throw withoutNamespace(
        namespace,
        'being deleted: save its entries and create it again, as docs/troubleshooting.md says; existing databases continue',
      );
    const there = error.kind === 'alreadyExists' ? await readEntry(name, context) : undefined;
    if (!there) throw error;
    throw foundEntry(there, context);
  }
}

/** The error of a step that needs the entry to be absent. The cache never has an entry without its label. */
export function foundEntry(entry: LedgerEntry, context: WithLedger): Error {
  const { name, namespace, labels } = entry.metadata;
  if (labels?.[ledgerLabel] !== 'true')
    return new LedgerUnusable(
      `ledger entry ${name} lost its label: kubectl label --overwrite secret ${name} -n ${namespace} ${ledgerLabel}=true`,
    );
  noteInCache(entry, context);
  return overtaken(`look for ledger entry ${name}`);
}

/**
 * Writes the content of an entry and its passwords in a single request, locked to the version that was read.
 * @throws as {@link createEntry}
 */
export async function updateEntry(
  entry: LedgerEntry,
  content: EntryContent,
  passwords: PasswordChanges,
  context: Writer,
): Promise<LedgerEntryWithData> {
  const { uid, resourceVersion } = entry.metadata;
  const metadata = {
    uid,
    resourceVersion,
    labels: labelsOf(content),
    annotations: annotationsIn(content),
  };
  context.caches.ledger.expects(entry.metadata.name, content);
  const written = await context.kubernetes.patch(ledgerEntriesWithData, keyOf(entry), {
    metadata,
    data: encoded(passwords),
  });
  return kept(written, content, passwords, context);
}

/** Deletes an entry for good: its DELETE, then its finalizer. A deleted entry is no error. */
export async function deleteEntry(entry: LedgerEntry, context: Writer): Promise<void> {
  const started = await startDeletingEntry(entry, context);
  if (started) await freeEntry(started, context);
}

/** Sends the DELETE of an entry, locked to the version that was read. Its finalizer holds it. Undefined if it is gone. */
export async function startDeletingEntry(
  entry: LedgerEntry,
  { kubernetes, caches }: Writer,
): Promise<LedgerEntry | undefined> {
  const { uid, resourceVersion, deletionTimestamp } = entry.metadata;
  if (deletionTimestamp !== undefined) return entry;
  caches.ledger.expectsEnd(entry);
  const held = await unlessNotFound(
    kubernetes.delete(ledgerEntriesWithData, keyOf(entry), { uid, resourceVersion }),
  );
  if (!held) caches.ledger.entries.remove(entry);
  // If the next write fails, the sweep of entries must see the mark of this deletion at once.
  else caches.ledger.entries.wrote({ metadata: held.metadata, content: held.content });
  return held;
}

/**
 * Removes the finalizer of an entry that is being deleted, locked to the version that was read.
 */
export async function freeEntry(entry: LedgerEntry, { kubernetes, caches }: Writer): Promise<void> {
  const { uid, resourceVersion } = entry.metadata;
  caches.ledger.expectsEnd(entry);
  const freed = { metadata: { uid, resourceVersion, finalizers: null } };
  await unlessNotFound(kubernetes.patch(ledgerEntriesWithData, keyOf(entry), freed));
  caches.ledger.entries.remove(entry);
}

/**
 * The annotations that hold the content of an entry.
 * @throws {LedgerUnusable} when the content is too long to be read again
 */
function annotationsIn(content: EntryContent): Record<string, string> {
  const { length } = JSON.stringify(content);
  if (length <= longestContent) return annotationsOf(content);
  throw new LedgerUnusable(
    `the ledger entry would have ${length} characters, of at most ${longestContent}: choose another spec.name, or remove peerings from the spec`,
  );
}

/** A write counts only if the reply shows it: a webhook may have removed a part. The cache gets the entry as it is now. */
function kept(
  written: LedgerEntryWithData,
  content: EntryContent,
  passwords: PasswordChanges,
  context: Writer,
): LedgerEntryWithData {
  noteInCache(written, context);
  if (!isKept(written, content, passwords))
    throw altered(`write ledger entry ${written.metadata.name}`, 'its content');
  return written;
}

/** Whether an entry has exactly this content, and these changes of its passwords. */
export function isKept(
  written: LedgerEntryWithData,
  content: EntryContent,
  passwords: PasswordChanges,
): boolean {
  return (
    isDeepStrictEqual(written.content, JSON.parse(JSON.stringify(content))) &&
    Object.entries(passwords).every(([key, value]) => (written.data[key] ?? null) === value)
  );
}

/** Puts an entry that was just read or written into the cache, which has no passwords. */
export function noteInCache({ metadata, content }: LedgerEntry, { caches }: WithLedger): void {
  caches.ledger.entries.wrote({ metadata, content });
}

function labelsOf({
  object: { kind, namespace },
  projectId,
  id,
}: EntryContent): Record<string, string | null> {
  return {
    [ledgerLabel]: 'true',
    [entryLabels.kind]: kind,
    [entryLabels.namespace]: namespace,
    [entryLabels.resource]:
      id === undefined || projectId === undefined ? null : resourceHash(kind, projectId, id),
  };
}

function encoded(passwords: PasswordChanges): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(passwords).map(([key, value]) => [
      key,
      value === null ? null : Buffer.from(value, 'utf8').toString('base64'),
    ]),
  );
}

function withoutNulls(texts: Record<string, string | null>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).filter((each): each is [string, string] => each[1] !== null),
  );
}
