import { isDeepStrictEqual } from 'node:util';
import {
  annotationsOf,
  entryLabels,
  ledgerEntriesWithData,
  ledgerFinalizer,
  ledgerLabel,
  ledgerSecretType,
  passwordKeys,
  type EntryContent,
  type LedgerEntry,
  type LedgerEntryWithData,
} from '../../resources/ledger-entry.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { keyOf, KubernetesError, type KubernetesClient } from '../../runtime/index.ts';
import type { Context } from '../process/context.ts';
import { altered } from '../step/kubernetes-trouble.ts';
import { wait, type WaitOrStall } from '../step/step.ts';
import { entryKey, entryName, resourceHash } from './entry.ts';

type Reader = Pick<Context, 'caches'> & { readonly kubernetes: Pick<KubernetesClient, 'get'> };
type Writer = Pick<Context, 'caches'> & { readonly kubernetes: Pick<KubernetesClient, 'get' | 'create' | 'patch' | 'delete'> };

/** New passwords by key; null removes a password. Keys that are missing stay. */
type PasswordChanges = Readonly<Record<string, string | null>>;

/** The ledger cannot be used, so that nothing is created. */
export class LedgerUnusable extends Error {
  override readonly name = 'LedgerUnusable';
  readonly step: WaitOrStall;

  constructor(message: string) {
    super(message);
    this.step = wait('InternalError', message);
  }
}

function namespaceMissing(namespace: string): LedgerUnusable {
  return new LedgerUnusable(`the ledger namespace "${namespace}" is missing: kubectl apply -f deploy/ledger-namespace.yaml`);
}

/** Its entries hold the namespace, but Kubernetes takes no new ones. */
function namespaceTerminating(namespace: string): LedgerUnusable {
  return new LedgerUnusable(
    `the ledger namespace "${namespace}" is being deleted and takes no new entries: see docs/troubleshooting.md, The ledger`,
  );
}

/** The content of a new entry. */
export function newContent({ kind, metadata: { namespace, name, uid } }: ManagedObject, clusterUid: string): EntryContent {
  return { version: 1, object: { kind, namespace, name, uid }, clusterUid, passwordNumber: 0, hasPassword: false };
}

/** The content without any password. Together with {@link noPasswords}, one write makes an entry about another resource. */
export function emptied(content: EntryContent): EntryContent {
  const { next: _next, unclear: _unclear, passwordFrom: _from, unansweredAt: _at, ...rest } = content;
  return { ...rest, hasPassword: false };
}

export const noPasswords: PasswordChanges = Object.fromEntries(Object.values(passwordKeys).map((key) => [key, null]));

/** Reads an entry with its passwords. */
export function readEntry(name: string, { kubernetes, caches }: Reader): Promise<LedgerEntryWithData | undefined> {
  return kubernetes.get(ledgerEntriesWithData, entryKey(name, caches));
}

/**
 * Creates the entry of an object. An entry that another visit created, without a reply, is returned as it is.
 * @throws {LedgerUnusable} when the namespace does not take it
 * @throws {KubernetesError} `altered` when the API server did not keep it as written
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
    metadata: { name, finalizers: [ledgerFinalizer], labels: withoutNulls(labelsOf(content)), annotations: annotationsOf(content) },
    data: withoutNulls(encoded(passwords)),
  };
  try {
    return await keptOrDeleted(await context.kubernetes.create(ledgerEntriesWithData, namespace, body), content, passwords, context);
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error;
    if (error.kind === 'notFound') throw namespaceMissing(namespace);
    if (error.namespaceTerminating) throw namespaceTerminating(namespace);
    const there = error.kind === 'alreadyExists' ? await readEntry(name, context) : undefined;
    if (!there) throw error;
    noteInCache(there, context);
    return there;
  }
}

/** An entry that was not kept as written would be unreadable from then on, so it is deleted before the next try. */
async function keptOrDeleted(
  created: LedgerEntryWithData,
  content: EntryContent,
  passwords: PasswordChanges,
  context: Writer,
): Promise<LedgerEntryWithData> {
  try {
    return kept(created, content, passwords, context);
  } catch (error) {
    await deleteEntry(created, context);
    throw error;
  }
}

/** Writes the content of an entry, and its passwords, in one request that is locked to the version that was read. @throws as {@link createEntry} */
export async function updateEntry(
  entry: LedgerEntry,
  content: EntryContent,
  passwords: PasswordChanges,
  context: Writer,
): Promise<LedgerEntryWithData> {
  const { uid, resourceVersion } = entry.metadata;
  const metadata = { uid, resourceVersion, labels: labelsOf(content), annotations: annotationsOf(content) };
  const written = await context.kubernetes.patch(ledgerEntriesWithData, keyOf(entry), { metadata, data: encoded(passwords) });
  return kept(written, content, passwords, context);
}

/** Deletes an entry whose passwords nobody needs: first the DELETE, locked to the version that was read, then the finalizer. */
export async function deleteEntry(entry: LedgerEntry, context: Writer): Promise<void> {
  const { uid, resourceVersion, deletionTimestamp } = entry.metadata;
  const key = keyOf(entry);
  const { entries } = context.caches.ledger;
  try {
    const held = deletionTimestamp ? entry : await context.kubernetes.delete(ledgerEntriesWithData, key, { uid, resourceVersion });
    const freed = { metadata: { uid, resourceVersion: held?.metadata.resourceVersion, finalizers: null } };
    if (held) await context.kubernetes.patch(ledgerEntriesWithData, key, freed);
    entries.remove(held ?? entry);
  } catch (error) {
    if (!(error instanceof KubernetesError && error.kind === 'notFound')) throw error; // it is gone already
    entries.remove(entry);
  }
}

/** A write counts only if the reply shows it: a webhook may have removed a part. */
function kept(written: LedgerEntryWithData, content: EntryContent, passwords: PasswordChanges, context: Writer): LedgerEntryWithData {
  const isKept =
    isDeepStrictEqual(written.content, JSON.parse(JSON.stringify(content))) &&
    Object.entries(passwords).every(([key, value]) => (written.data[key] ?? null) === value);
  if (!isKept) throw altered(`write ledger entry ${written.metadata.name}`, 'its content');
  noteInCache(written, context);
  return written;
}

/** The cache has no passwords. */
function noteInCache({ metadata, content }: LedgerEntry, { caches }: Pick<Context, 'caches'>): void {
  caches.ledger.entries.wrote({ metadata, content });
}

function labelsOf({ object: { kind, namespace }, projectId, id }: EntryContent): Record<string, string | null> {
  return {
    [ledgerLabel]: 'true',
    [entryLabels.kind]: kind,
    [entryLabels.namespace]: namespace,
    [entryLabels.resource]: id === undefined || projectId === undefined ? null : resourceHash(kind, projectId, id),
  };
}

function encoded(passwords: PasswordChanges): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(passwords).map(([key, value]) => [key, value === null ? null : Buffer.from(value, 'utf8').toString('base64')]),
  );
}

function withoutNulls(texts: Record<string, string | null>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter((each): each is [string, string] => each[1] !== null));
}
