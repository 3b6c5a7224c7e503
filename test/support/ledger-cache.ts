import { operatorCaches } from '../../src/operator/caches.ts';
import type { Caches } from '../../src/reconcile/wiring/context.ts';
import type { LedgerEntry } from '../../src/resources/ledger-entry.ts';
import { kinds, type ManagedObject } from '../../src/resources/managed-object.ts';
import { objectCache } from '../../src/runtime/index.ts';

/** The caches of the operator in memory, with these objects and ledger entries. No watch fills them. */
export function ledgerCache(
  objects: readonly ManagedObject[] = [],
  entries: readonly LedgerEntry[] = [],
): Caches {
  const caches = operatorCaches({ cache: () => objectCache([undefined]) }, 'managed-db-ledger');
  for (const object of objects) caches.ofAllKinds[kinds.indexOf(object.kind)]?.wrote(object);
  for (const entry of entries) caches.ledger.entries.wrote(entry);
  return caches;
}
