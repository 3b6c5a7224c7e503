import { entryLabels, ledgerEntriesWithData, ledgerLabel, type LedgerEntryWithData } from '../../src/resources/ledger-entry.ts';
import { ledgerNamespace, type World } from './world.ts';

/** The ledger entries of all objects that are or were in the namespace of this test. */
export async function entriesOf({
  kubernetes,
  namespace,
}: Pick<World, 'kubernetes' | 'namespace'>): Promise<readonly LedgerEntryWithData[]> {
  const labelSelector = `${ledgerLabel}=true,${entryLabels.namespace}=${namespace}`;
  return (await kubernetes.list(ledgerEntriesWithData, { namespace: ledgerNamespace, labelSelector })).items;
}
