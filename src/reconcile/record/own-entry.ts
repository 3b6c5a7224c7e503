import { recordIn, type EntryContent, type LedgerEntry, type ResourceRecord } from '../../resources/ledger-entry.ts';
import type { Kind, ManagedObject } from '../../resources/managed-object.ts';
import { resourceKey, type ObjectCache, type ResourceKey } from '../../runtime/index.ts';

/** The entries of the ledger, without their passwords. */
export interface Ledger {
  readonly namespace: string;
  readonly entries: ObjectCache<LedgerEntry>;
  /** Whether this operator looks after the namespace of an object. Several installations may share a ledger. */
  isWatched(namespace: string): boolean;
  /** Notes the content that this process is about to write. The event of it may come before the reply. */
  expects(name: string, content: EntryContent): void;
  /** Whether an entry has the content that this process wrote last, so that it is no news to its owner. */
  isExpected(entry: LedgerEntry): boolean;
  /** The entries about a resource, by its hash. */
  ofResource(hash: string): readonly LedgerEntry[];
  /** The entries of all objects of this kind, namespace and name, also of objects that are gone. */
  ofName(kind: Kind, key: ResourceKey): readonly LedgerEntry[];
}

interface InLedger {
  readonly ledger: Pick<Ledger, 'namespace' | 'entries'>;
}

/** The name of an object's entry. Creating a Secret of that name is the lock. */
export function entryName({ kind, metadata: { uid } }: Pick<ManagedObject, 'kind' | 'metadata'>): string {
  return `${kind.toLowerCase()}-${uid}`;
}

export function entryKey(name: string, { ledger }: InLedger): ResourceKey {
  return resourceKey(ledger.namespace, name);
}

/** The entry of an object, from the cache. */
export function entryOf(object: Pick<ManagedObject, 'kind' | 'metadata'>, caches: InLedger): LedgerEntry | undefined {
  return caches.ledger.entries.get(entryKey(entryName(object), caches));
}

/** The record of an object, from its ledger entry; empty if it has none. */
export function recordOf(object: Pick<ManagedObject, 'kind' | 'metadata'>, caches: InLedger): ResourceRecord {
  return recordIn(entryOf(object, caches));
}
