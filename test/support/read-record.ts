import { recordIn, type ResourceRecord } from '../../src/resources/ledger-entry.ts';
import type { ManagedObject } from '../../src/resources/managed-object.ts';
import type { World } from './world.ts';

/** The record of an object, from its ledger entry; empty if there is none. */
export async function recordOf(
  world: Pick<World, 'entry'>,
  object: ManagedObject | undefined,
): Promise<ResourceRecord> {
  return recordIn(object && (await world.entry({ kind: object.kind, uid: object.metadata.uid })));
}
