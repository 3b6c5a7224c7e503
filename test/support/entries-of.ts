import {
  entryLabels,
  ledgerEntriesWithData,
  ledgerLabel,
  type LedgerEntryWithData,
} from '../../src/resources/ledger-entry.ts';
import { until } from './until.ts';
import { ledgerNamespace, type World } from './world.ts';

/** The ledger entries of all objects that are or were in the namespace of this test. */
export async function entriesOf({
  kubernetes,
  namespace,
}: Pick<World, 'kubernetes' | 'namespace'>): Promise<readonly LedgerEntryWithData[]> {
  const labelSelector = `${ledgerLabel}=true,${entryLabels.namespace}=${namespace}`;
  return (
    await kubernetes.list(ledgerEntriesWithData, { namespace: ledgerNamespace, labelSelector })
  ).items;
}

/** Waits until the ledger has no entry of this namespace. An object goes right before its entry. */
export async function untilNoEntries(world: Parameters<typeof entriesOf>[0]): Promise<void> {
  await until('every ledger entry to go', async () => (await entriesOf(world)).length === 0);
}
