import { annotations } from '../../resources/annotations.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { readRecord, type ReadRecord, type ResourceRecord } from '../record/record.ts';
import type { Remembered } from './memory.ts';

/** The valid record of an object. `isLost`: this process remembers it, and the annotation no longer has it. */
export type CountingRecord = ReadRecord & { readonly isLost: boolean };

/**
 * The valid record: the annotation, unless it lost something that this process remembers. It may have been removed (`kubectl replace`), or replaced by an
 * older one, which does not know the resource, the open create or the pending peering. An annotation with another resource, or with a later create, was set
 * on purpose and counts.
 */
export function recordOf({ metadata }: Pick<ManagedObject, 'metadata'>, { record: known }: Pick<Remembered, 'record'>): CountingRecord {
  const text = metadata.annotations?.[annotations.record];
  const there = readRecord(text);
  const remembered = readRecord(known?.uid === metadata.uid && known.text !== text ? known.text : undefined);
  if (remembered.state !== 'read' || there.state === 'unreadable') return { ...there, isLost: false };
  const isLost = there.state === 'none' || isOlder(there.record, remembered.record);
  return { ...(isLost ? remembered : there), isLost };
}

function isOlder({ id, attempt, peerings = {} }: ResourceRecord, known: ResourceRecord): boolean {
  if (id !== known.id) return id === undefined || id === known.replaces;
  const open = known.attempt;
  const lacksAttempt = open !== undefined && attempt?.id !== open.id && !(Date.parse(attempt?.at ?? '') > Date.parse(open.at));
  const pending = Object.entries(known.peerings ?? {}).filter(([, peering]) => 'pendingSince' in peering);
  return lacksAttempt || pending.some(([key]) => !(key in peerings));
}
