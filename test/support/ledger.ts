import { expect } from 'vitest';
import { annotationsOf, ledgerFinalizer, ledgerSecretType, type LedgerEntryWithData } from '../../src/resources/ledger-entry.ts';
import { ledgerNamespace, type World } from './world.ts';

const inLedger = ['--namespace', ledgerNamespace];

/** Deletes the ledger entry of a service for good, with its finalizer. */
export async function dropEntry(world: World, service: string): Promise<void> {
  const name = (await world.entry(service))?.metadata.name ?? '';
  const deleted = await world.kubectl([...inLedger, 'delete', 'secret', name, '--wait=false']);
  const freed = await world.kubectl([...inLedger, 'patch', 'secret', name, '--type=merge', '-p', '{"metadata":{"finalizers":null}}']);
  expect([deleted, freed]).toMatchObject([{ code: 0 }, { code: 0 }]);
}

/** Replaces a ledger entry by an earlier version of it, as a backup does. */
export async function restoreEntry(world: World, entry: LedgerEntryWithData | undefined): Promise<void> {
  if (!entry?.content) throw new Error('there is no entry to restore');
  const { name, labels } = entry.metadata;
  await dropEntry(world, entry.content.object.name);
  const metadata = { name, labels, annotations: annotationsOf(entry.content), finalizers: [ledgerFinalizer] };
  const manifest = { apiVersion: 'v1', kind: 'Secret', type: ledgerSecretType, metadata, stringData: entry.data };
  expect(await world.kubectl([...inLedger, 'create', '-f', '-'], JSON.stringify(manifest))).toMatchObject({ code: 0 });
}
