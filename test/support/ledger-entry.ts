import { resourceHash } from '../../src/reconcile/ledger/entry.ts';
import { entryLabels, ledgerLabel, type EntryContent, type LedgerEntry } from '../../src/resources/ledger-entry.ts';

/** The ledger entry of `shop/orders`: it is about service `svc-1`, and has its first password. Undefined removes a part of the content. */
export function ledgerEntry(given: Optional<EntryContent> = {}, metadata: Partial<LedgerEntry['metadata']> = {}): LedgerEntry {
  const parts = { ...bound, ...given };
  const content = Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as EntryContent;
  const { id, projectId, object } = content;
  const resource = id === undefined || projectId === undefined ? {} : { [entryLabels.resource]: resourceHash(object.kind, projectId, id) };
  const labels = { [ledgerLabel]: 'true', [entryLabels.kind]: object.kind, [entryLabels.namespace]: object.namespace, ...resource };
  const name = `${object.kind.toLowerCase()}-${object.uid}`;
  return {
    metadata: {
      name,
      namespace: 'managed-db-ledger',
      uid: 'entry-uid',
      resourceVersion: '1',
      labels,
      deletionTimestamp: undefined,
      ...metadata,
    },
    content,
  };
}

type Optional<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

const bound = {
  version: 1,
  object: { kind: 'ManagedService', namespace: 'shop', name: 'orders', uid: 'uid' },
  clusterUid: 'cluster',
  projectId: 'prj-1',
  id: 'svc-1',
  outcome: 'created',
  passwordNumber: 1,
  hasPassword: true,
} satisfies EntryContent;

/** The entry of an object whose create is open: it is about no resource yet. */
export const emptyEntry = ledgerEntry({ id: undefined, projectId: undefined, outcome: undefined, passwordNumber: 0, hasPassword: false });

/** An entry that a newer version wrote, or that was edited by hand. */
export const unreadableEntry: LedgerEntry = { ...emptyEntry, content: undefined };
