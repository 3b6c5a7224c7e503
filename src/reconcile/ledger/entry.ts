import { createHash } from 'node:crypto';
import { resourceKey, type ObjectCache, type ResourceKey } from '../../runtime/index.ts';
import { apiGroup, apiVersion } from '../../resources/api-group.ts';
import {
  type LedgerEntry,
  recordIn,
  type EntryContent,
  type ResourceRecord,
} from '../../resources/ledger-entry.ts';
import { isKind, type Kind, type ManagedObject } from '../../resources/managed-object.ts';
import type { LedgerPassword } from '../step/connection.ts';

/** The object of an entry, which may be gone. */
export interface EntryObject {
  readonly apiVersion: string;
  readonly kind: Kind;
  readonly metadata: { readonly namespace: string; readonly name: string; readonly uid: string };
}

/** Undefined if the entry cannot be read. */
export function objectOfEntry({ content }: LedgerEntry): EntryObject | undefined {
  if (!content || !isKind(content.object.kind)) return undefined;
  const { kind, namespace, name, uid } = content.object;
  return {
    apiVersion: `${apiGroup}/${apiVersion}`,
    kind,
    metadata: { namespace, name, uid },
  };
}

/** Undefined if no password is known, or if the entry is about another resource. */
export function passwordOf(
  entry: LedgerEntry | undefined,
  resource: string | undefined,
): LedgerPassword | undefined {
  const { id, hasPassword, passwordNumber: number } = entry?.content ?? {};
  const isKnown = id !== undefined && id === resource && hasPassword === true;
  return entry && isKnown && number !== undefined
    ? { entry: entry.metadata.name, id, number }
    : undefined;
}

/** Identifies a resource in labels and annotations, without revealing its id. */
export function resourceHash(kind: string, projectId: string, id: string): string {
  return createHash('sha256').update(`${kind}/${projectId}/${id}`).digest('hex').slice(0, 40);
}

/** Whether the operator released the object of this entry after the deletion of its resource. The entry is deleted last. */
export function isReleased({ metadata, content }: LedgerEntry): boolean {
  const { id, deletionStarted } = content ?? {};
  return metadata.deletionTimestamp !== undefined && id !== undefined && deletionStarted?.id === id;
}

/** The message about an entry of a newer version, or an entry that was edited by hand. */
export function describeUnreadable({ metadata: { namespace, name } }: LedgerEntry): string {
  return `ledger entry ${name} in namespace ${namespace} cannot be read: restore that Secret from a backup`;
}

/** The ledger entries, without their passwords. */
export interface Ledger {
  readonly namespace: string;
  readonly entries: ObjectCache<LedgerEntry>;
  /** Whether this operator watches the namespace of an object. Several installations may share a ledger. */
  isWatched(namespace: string): boolean;
  /** Notes the content that this process is about to write: its event may come before the reply. */
  expects(name: string, content: EntryContent): void;
  /** Whether an entry has the content that this process wrote last, so that it is no news to its owner. */
  isExpected(entry: LedgerEntry): boolean;
  /** Notes that this process is about to delete an entry. */
  expectsEnd(entry: LedgerEntry): void;
  isEndExpected(entry: LedgerEntry): boolean;
  ofResource(hash: string): readonly LedgerEntry[];
  /** Also of objects that are gone. */
  ofName(kind: Kind, key: ResourceKey): readonly LedgerEntry[];
}

interface InLedger {
  readonly ledger: Pick<Ledger, 'namespace' | 'entries'>;
}

/** Creating a Secret of this name is the lock. */
export function entryName({
  kind,
  metadata: { uid },
}: Pick<ManagedObject, 'kind' | 'metadata'>): string {
  return `${kind.toLowerCase()}-${uid}`;
}

/** The key of the entry of this name. */
export function entryKey(name: string, { ledger }: InLedger): ResourceKey {
  return resourceKey(ledger.namespace, name);
}

/** The ledger entry of an object, from the cache. Undefined if it has none. */
export function entryOf(
  object: Pick<ManagedObject, 'kind' | 'metadata'>,
  caches: InLedger,
): LedgerEntry | undefined {
  return caches.ledger.entries.get(entryKey(entryName(object), caches));
}

/** Empty if the object has no ledger entry. */
export function recordOf(
  object: Pick<ManagedObject, 'kind' | 'metadata'>,
  caches: InLedger,
): ResourceRecord {
  return recordIn(entryOf(object, caches));
}
