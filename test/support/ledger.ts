import { expect } from 'vitest';
import {
  annotationsOf,
  ledgerFinalizer,
  ledgerSecretType,
  type EntryContent,
  type LedgerEntryWithData,
} from '../../src/resources/ledger-entry.ts';
import type { ManagedObject } from '../../src/resources/managed-object.ts';
import { ledgerNamespace, type World } from './world.ts';

const inLedger = ['--namespace', ledgerNamespace];

/** Deletes a ledger entry for good, with its finalizer: that of the service with this name, or the entry itself. */
export async function dropEntry(
  world: World,
  of: string | { readonly name: string },
): Promise<void> {
  const name = typeof of === 'string' ? ((await world.entry(of))?.metadata.name ?? '') : of.name;
  const deleted = await world.kubectl([...inLedger, 'delete', 'secret', name, '--wait=false']);
  const freed = await world.kubectl([
    ...inLedger,
    'patch',
    'secret',
    name,
    '--type=merge',
    '-p',
    '{"metadata":{"finalizers":null}}',
  ]);
  expect([deleted, freed]).toMatchObject([{ code: 0 }, { code: 0 }]);
}

/** Replaces a ledger entry by an earlier version of it, as a backup does. */
export async function restoreEntry(
  world: World,
  entry: LedgerEntryWithData | undefined,
): Promise<void> {
  if (!entry?.content) throw new Error('there is no entry to restore');
  await dropEntry(world, entry.content.object.name);
  await createEntry(world, entry);
}

/** Creates a ledger entry that is gone, as a backup does. */
export async function createEntry(world: World, entry: LedgerEntryWithData): Promise<void> {
  if (!entry.content) throw new Error('the entry cannot be read');
  const { name, labels } = entry.metadata;
  const metadata = {
    name,
    labels,
    annotations: annotationsOf(entry.content),
    finalizers: [ledgerFinalizer],
  };
  const manifest = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: ledgerSecretType,
    metadata,
    stringData: entry.data,
  };
  expect(
    await world.kubectl([...inLedger, 'create', '-f', '-'], JSON.stringify(manifest)),
  ).toMatchObject({ code: 0 });
}

/** Changes the ledger entries of objects past the operator. */
export async function changeEntries(
  world: World,
  objects: readonly (ManagedObject | undefined)[],
  change: Partial<EntryContent>,
): Promise<void> {
  for (const object of objects) {
    const entry = object && (await world.entry({ kind: object.kind, uid: object.metadata.uid }));
    if (!entry?.content) throw new Error('there is no entry to change');
    const [text] = Object.entries(annotationsOf({ ...entry.content, ...change })).map(
      ([key, value]) => `${key}=${value}`,
    );
    const { code } = await world.kubectl([
      ...inLedger,
      'annotate',
      '--overwrite',
      'secret',
      entry.metadata.name,
      text ?? '',
    ]);
    expect(code).toBe(0);
  }
}
