import type { ManagedObject } from '../../src/resources/managed-object.ts';
import { resourceHash } from '../../src/reconcile/ledger/entry.ts';
import {
  annotationsOf,
  entryLabels,
  ledgerEntries,
  ledgerLabel,
  type EntryContent,
  type LedgerEntry,
} from '../../src/resources/ledger-entry.ts';

/** The ledger entry of `shop/orders`: it is about service `svc-1`, and has its first password. Undefined removes a part of the content. */
export function ledgerEntry(
  given: Partial<EntryContent> = {},
  metadata: Partial<LedgerEntry['metadata']> = {},
): LedgerEntry {
  const content = { ...bound, ...given };
  const { id, projectId, object } = content;
  const resource =
    id === undefined || projectId === undefined
      ? {}
      : { [entryLabels.resource]: resourceHash(object.kind, projectId, id) };
  const labels = {
    [ledgerLabel]: 'true',
    [entryLabels.kind]: object.kind,
    [entryLabels.namespace]: object.namespace,
    ...resource,
  };
  const name = `${object.kind.toLowerCase()}-${object.uid}`;
  const stored = {
    name,
    namespace: 'managed-db-ledger',
    uid: 'entry-uid',
    resourceVersion: '1',
    labels,
    ...metadata,
  };
  return ledgerEntries.parse({ metadata: { ...stored, annotations: annotationsOf(content) } });
}

const bound: EntryContent = {
  version: 1,
  object: { kind: 'ManagedService', namespace: 'shop', name: 'orders', uid: 'uid' },
  clusterUid: 'cluster',
  projectId: 'prj-1',
  id: 'svc-1',
  outcome: 'created',
  passwordNumber: 1,
  hasPassword: true,
};

/** The entry of an object whose create is open: it is about no resource yet. */
export const emptyEntry = ledgerEntry({
  id: undefined,
  projectId: undefined,
  outcome: undefined,
  passwordNumber: 0,
  hasPassword: false,
});

/** An entry that a newer version wrote, or that a person edited. */
export const unreadableEntry: LedgerEntry = { ...emptyEntry, content: undefined };

/** The ledger entry of an object with this record, without passwords. */
export function entryFor(
  { kind, metadata: { namespace, name, uid } }: Pick<ManagedObject, 'kind' | 'metadata'>,
  record: Partial<EntryContent>,
  resourceVersion = '1',
): LedgerEntry {
  const nothing = {
    id: undefined,
    projectId: undefined,
    outcome: undefined,
    passwordNumber: 0,
    hasPassword: false,
  };
  return ledgerEntry(
    { ...nothing, object: { kind, namespace, name, uid }, ...record },
    { resourceVersion },
  );
}
